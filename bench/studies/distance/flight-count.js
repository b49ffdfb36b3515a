/** Counts the flights of a connection's client: how often it sent after the server had. Each costs a round trip. */
export class FlightCount {
  flights = 0;
  #serverSpokeLast = true;

  clientSpoke() {
    this.flights += Number(this.#serverSpokeLast);
    this.#serverSpokeLast = false;
  }

  serverSpoke() {
    this.#serverSpokeLast = true;
  }
}
