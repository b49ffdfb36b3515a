// Uses all the time it gets on its core, until its standard input ends with its parent.

const TURN_MS = 50;

process.stdin.once('close', () => process.exit(0)).resume();
burn();

function burn() {
  for (const until = performance.now() + TURN_MS; performance.now() < until;) {
    // The loop is the load.
  }
  setImmediate(burn);
}
