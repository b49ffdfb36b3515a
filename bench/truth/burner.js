// Keeps its core busy until its standard input closes, and so until its parent ends.

const TURN_MS = 50;

process.stdin.once('close', () => process.exit(0)).resume();
burn();

function burn() {
  for (const until = performance.now() + TURN_MS; performance.now() < until;) {
    // The loop is the load.
  }
  setImmediate(burn);
}
