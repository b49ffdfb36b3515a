import assert from 'node:assert/strict';
import { parseLine } from '../../lib/result/log/lines.js';
import { addParts, withHistograms } from '../../lib/result/log/record-lines.js';

/**
 * A log line for tests, including lines for people, which the tool itself never reads.
 *
 * @typedef {{ kind: string } & Record<string, any>} LogRecord
 */

const RATE = '([\\d.]+)';
const MS = '([\\d,.]+)ms';

/** @type {[kind: string, pattern: RegExp, fields: readonly string[]][]} */
const LINES = [
  [
    'schedule',
    /^(\S+): scheduling for (\d+) objects in (\d+) threads and (\d+) buckets$/,
    ['stage', 'objects', 'threads', 'buckets'],
  ],
  [
    'search',
    /^(\S+): searching for .+ with ([\d,]+) objects? and up to ([\d,]+) threads? and ([\d,]+) buckets?$/,
    ['stage', 'objects', 'threads', 'buckets'],
  ],
  [
    'second',
    new RegExp(`^([\\d:]{8}): (\\S+): Ops ${RATE}/s Throughput ${RATE}MB/s$`),
    ['time', 'stage', 'operationsPerSecond', 'megabytesPerSecond'],
  ],
  [
    'kind-second',
    new RegExp(`^([\\d:]{8}): (\\S+) (\\S+): Ops ${RATE}/s Throughput ${RATE}MB/s$`),
    ['time', 'stage', 'operation', 'operationsPerSecond', 'megabytesPerSecond'],
  ],
  ['retrying', /^Retrying on TRANSIENT error(?: \((\d+) more\))?$/, ['more']],
  [
    'summary',
    new RegExp(
      `^(\\S+) took (\\d+)ms\\. Peak ops ${RATE}/s Avg ops ${RATE}/s {2}Total size ${RATE}MB {2}Recoverable errors (\\d+)$`,
    ),
    [
      ...['stage', 'milliseconds', 'peakOperationsPerSecond', 'averageOperationsPerSecond'],
      ...['megabytes', 'recoverableErrors'],
    ],
  ],
  ['kind-summary', /^(\S+) (\S+) took \d+ms\. /, ['stage', 'operation']],
  ['integrity', /^(\S+): (\d+) integrity errors?$/, ['stage', 'count']],
  [
    'latency',
    new RegExp(
      `^(\\S+) (latency|start delay|part latency|attempt latency|time to first byte)(?: \\(\\w+ loop\\))?: ` +
        `min ${MS} mean ${MS} p50 ${MS} p90 ${MS} p95 ${MS} p99 ${MS} p99\\.9 ${MS} max ${MS}$`,
    ),
    ['stage', 'of', 'minimum', 'mean', 'p50', 'p90', 'p95', 'p99', 'p999', 'maximum'],
  ],
  ['connections', /^(\S+) connections: opened (\d+) reused (\d+)/, ['stage', 'opened', 'reused']],
  ['capacity', /^(\S+) capacity: /, ['stage']],
  ['limit', /^(\S+) limited by: /, ['stage']],
  ['table-header', /^Stage +Ops\/s /, []],
  ['step-header', /^Stage(?: {3}Threads| {6}Rate) /, []],
  ['step-row', /^([A-Z]\S*) +([\d.]+|-) .* \d+% {2}\w/, ['stage', 'threads']],
  ['table-row', /^([A-Z]\S*) +(?:[\d,.]+|too short|-) {2}/, ['stage']],
  ['kind-row', /^ {2}(\S.*?) {2,}[\d,.]+ {2}/, ['operation']],
];

/**
 * @param {string} stdout
 * @returns {LogRecord[]} one per line
 */
export function recordsOf(stdout) {
  assert.ok(stdout.endsWith('\n'), 'the log ends with a complete line');
  return stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      const parsed = parseLine(line);
      return parsed?.kind === 'machine' ? parsed : readLine(line);
    });
}

/**
 * @param {string} line
 * @returns {LogRecord}
 */
function readLine(line) {
  for (const [kind, pattern, fields] of LINES) {
    const match = pattern.exec(line);
    if (match !== null) {
      const values = fields.map((name, place) => [name, valueOf(match[place + 1] ?? '0')]);
      return { kind, ...Object.fromEntries(values) };
    }
  }
  return { kind: 'text', text: line };
}

/** @param {string} text */
function valueOf(text) {
  return /^\d[\d,.]*$/.test(text) ? Number(text.replaceAll(',', '')) : text;
}

/**
 * @param {readonly LogRecord[]} records
 * @param {string} kind
 * @returns {LogRecord[]}
 */
export function ofKind(records, kind) {
  return records.filter((record) => record.kind === kind);
}

/**
 * @param {readonly LogRecord[]} records
 * @param {string} kind of machine lines
 * @returns {any[]} the records of those lines, each stage with its parts
 */
export function machineRecords(records, kind) {
  /** @type {Map<string, Map<string, any>>} */
  const parts = new Map();
  return ofKind(records, 'machine').flatMap(({ data }) => {
    const { stage, at, ...part } = data;
    const ofStage = parts.get(stage) ?? new Map();
    parts.set(stage, ofStage);
    if (data.kind === 'part') {
      ofStage.set(at, withHistograms(part));
    }
    if (data.kind !== kind) {
      return [];
    }
    const record = withHistograms(data);
    addParts(record, ofStage);
    return [record];
  });
}
