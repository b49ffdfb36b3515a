import { createInterface } from 'node:readline';
import { measureCpuTime, measureEventLoop } from '../meter/client-load.js';
import { selfSignedCertificate } from './certificate.js';
import { createEndpoint, withDefaults } from './endpoint.js';
import { HOSTNAME } from './listener.js';

/**
 * The endpoint in a process of its own, for measurements that keep client and server apart:
 *
 *     node lib/local-s3/process.js '{"buckets":["b"],"credentials":{"accessKeyId":"…","secretAccessKey":"…"}}'
 *
 * It takes the options of the endpoint; with `"tls":"self-signed"` it makes its own certificate, so that the private key
 * never leaves the process. Once it listens, it prints `{"port":…,"certificate":…}`, the certificate as PEM or null. For
 * each line `report` on its standard input it prints a line with a ProcessReport. It ends on SIGTERM or when its standard
 * input ends: with whoever started it.
 *
 * @typedef {object} ProcessLoad since the report before, or since the start
 * @property {number} eventLoopUtilization the share of the time that the event loop was busy, 0 to 1
 * @property {number} cpuUser ms
 * @property {number} cpuSystem ms
 *
 * @typedef {import('./tally.js').Report & ProcessLoad} ProcessReport
 */

const options = JSON.parse(process.argv[2]);
const tls = options.tls === 'self-signed' ? selfSignedCertificate(HOSTNAME, Date.now()) : (options.tls ?? null);
const endpoint = createEndpoint(withDefaults({ ...options, tls }));
const port = await endpoint.listen(options.port ?? 0);
let measured = beginMeasuring();
process.once('SIGTERM', () => process.exit(0));
createInterface({ input: process.stdin })
  .on('line', (line) => print(line === 'report' ? report() : { error: `expected the line report, got ${line}` }))
  .once('close', () => process.exit(0));
print({ port, certificate: tls?.cert ?? null });

function beginMeasuring() {
  return { cpuTime: measureCpuTime(), eventLoop: measureEventLoop() };
}

/** @returns {ProcessReport} */
function report() {
  const load = { ...measured.cpuTime(), eventLoopUtilization: measured.eventLoop() };
  measured = beginMeasuring();
  return { ...endpoint.report(), ...load };
}

/** @param {object} message */
function print(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
