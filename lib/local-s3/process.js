import { createEndpoint, withDefaults } from './endpoint.js';

/**
 * The endpoint in a process of its own, for benchmarks that measure the CPU time of client and server apart:
 *
 *     node lib/local-s3/process.js '{"buckets":["b"],"credentials":{"accessKeyId":"…","secretAccessKey":"…"}}'
 *
 * It prints `{"port":…}` when it listens, and ends on SIGTERM or when its standard input ends: with whoever started it.
 */
const options = withDefaults(JSON.parse(process.argv[2]));
const port = await createEndpoint(options).listen(options.port);
process.once('SIGTERM', () => process.exit(0));
process.stdin.once('close', () => process.exit(0)).resume();
process.stdout.write(`${JSON.stringify({ port })}\n`);
