/**
 * Counts a client's flights on a connection: how often it sent after the server did. Each flight costs a round trip.
 */
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
