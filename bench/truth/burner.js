// Takes all that it gets of the core that it is put on, until its standard input ends with whoever started it.

const TURN_MS = 50;

process.stdin.once('close', () => process.exit(0)).resume();
burn();

function burn() {
  for (const until = performance.now() + TURN_MS; performance.now() < until;) {
    // The loop is the load.
  }
  setImmediate(burn);
}
