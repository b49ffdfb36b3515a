import {
  between,
  capitalizedWord,
  choice,
  column,
  count,
  decimal,
  either,
  escapePattern,
  jsonObject,
} from './notation.js';
import { confidenceInterval, leftColumn, openingCost, operationColumn, operationName } from './notation.js';
import { sentence, timeOfDay } from './notation.js';

/** @import { Notation } from './notation.js' */

/**
 * @typedef {string} StageName a word with a capital, such as `Write`; see isStageName
 * @typedef {{ p50: number, maximum: number }} OpeningCost ms
 */

/**
 * @typedef {{ kind: 'schedule', stage: string, objects: number, threads: number, buckets: number }} ScheduleRecord
 * @typedef {{ kind: 'second', time: string, stage: string, operationsPerSecond: number, megabytesPerSecond: number }}
 *   SecondRecord `time` is the second's end, `HH:MM:SS` in UTC
 * @typedef {{ kind: 'retrying', more: number }} RetryingRecord `more` retries in addition to the one that the line stands for
 * @typedef {{ kind: 'summary', stage: string, milliseconds: number, peakOperationsPerSecond: number,
 *   averageOperationsPerSecond: number, megabytes: number, recoverableErrors: number }} SummaryRecord
 * @typedef {{ kind: 'integrity', stage: string, count: number }} IntegrityRecord
 * @typedef {{ kind: 'latency', stage: string, of: 'operations' | 'attempts' | 'firstByte' | 'startDelay' | 'parts',
 *   loop: 'closed loop' | 'open loop' | null, minimum: number, mean: number, p50: number, p90: number, p99: number,
 *   p999: number, maximum: number }} LatencyRecord ms; `loop` is how the operations were started
 * @typedef {{ kind: 'suspended', stage: string, milliseconds: number }} SuspendedRecord how long the process was suspended
 * @typedef {{ kind: 'connections', stage: string, opened: number, reused: number, name: number | null,
 *   tcp: OpeningCost | null, tls: OpeningCost | null }} ConnectionsRecord ms; null for what did not take place
 * @typedef {keyof typeof CAUSES} LimitCause
 * @typedef {{ kind: 'limit', stage: string, cause: LimitCause, evidence: string }} LimitRecord
 * @typedef {{ kind: 'search', stage: string, objects: number, threads: number, buckets: number }} SearchRecord
 * @typedef {{ kind: 'step-header' }} StepHeaderRecord
 * @typedef {{ kind: 'step-row', stage: string, threads: number, operationsPerSecond: number, p50: number | null,
 *   p99: number | null, errors: number, clientLoad: number, phase: keyof typeof PHASES }} StepRowRecord percentiles in ms,
 *   `clientLoad` in whole per cent of the busiest event loop's time
 * @typedef {Omit<StepRowRecord, 'kind' | 'phase'> & { kind: 'bucket-row', buckets: number }} BucketRowRecord of so many buckets
 * @typedef {{ kind: 'rate-header' }} RateHeaderRecord
 * @typedef {Omit<StepRowRecord, 'kind' | 'threads'> & { kind: 'rate-row', rate: number, verdict: 'kept' | 'missed' | 'client' }}
 *   RateRowRecord `rate` is what was to be started a second
 * @typedef {{ kind: 'bucket-limit', stage: string, limit: 'per bucket' | 'whole store' | 'inconclusive', evidence: string }}
 *   BucketLimitRecord
 * @typedef {{ kind: 'highest-rate', stage: string, bound: 'exact' | 'at least' | 'at most', operationsPerSecond: number | null,
 *   interval: { low: number, high: number } | null, evidence: string }} HighestRateRecord
 * @typedef {{ kind: 'capacity', stage: string, word: 'capacity' | 'ceiling', bound: 'exact' | 'at least', operationsPerSecond: number,
 *   interval: { low: number, high: number } | null, threads: number, note: string | null }} CapacityRecord `interval` is
 *   null where the capacity was not held; `note` is what it lacks
 * @typedef {{ kind: 'table-header' }} TableHeaderRecord
 * @typedef {{ kind: 'table-row', stage: string, objects: number, operationsPerSecond: number,
 *   peakOperationsPerSecond: number, megabytesPerSecond: number | null, peakMegabytesPerSecond: number | null,
 *   p50: number | null, p99: number | null, errors: number, limitedBy: LimitCause }} TableRowRecord percentiles in ms; null,
 *   written `-`, if there is no value
 * @typedef {Omit<SecondRecord, 'kind'> & OfKind & { kind: 'kind-second' }} KindSecondRecord
 * @typedef {Omit<SummaryRecord, 'kind'> & OfKind & { kind: 'kind-summary' }} KindSummaryRecord
 * @typedef {Omit<IntegrityRecord, 'kind'> & OfKind & { kind: 'kind-integrity' }} KindIntegrityRecord
 * @typedef {Omit<LatencyRecord, 'kind'> & OfKind & { kind: 'kind-latency' }} KindLatencyRecord
 * @typedef {Omit<LimitRecord, 'kind'> & OfKind & { kind: 'kind-limit' }} KindLimitRecord
 * @typedef {Omit<TableRowRecord, 'kind' | 'stage'> & OfKind & { kind: 'kind-row' }} KindRowRecord of the stage in the row before
 * @typedef {{ kind: 'versions', stage: string, staleReads: number, foreignReads: number, tornReads: number }} VersionsRecord
 * @typedef {{ kind: 'machine', data: Record<string, unknown> }} MachineRecord
 * @typedef {ScheduleRecord | SecondRecord | RetryingRecord | SummaryRecord | IntegrityRecord | LatencyRecord
 *   | ConnectionsRecord | LimitRecord | SearchRecord | StepHeaderRecord | StepRowRecord | BucketRowRecord | RateHeaderRecord | RateRowRecord
 *   | BucketLimitRecord | HighestRateRecord | CapacityRecord | TableHeaderRecord | TableRowRecord | MachineRecord
 *   | KindSecondRecord | KindSummaryRecord | KindIntegrityRecord | KindLatencyRecord | KindLimitRecord | KindRowRecord
 *   | VersionsRecord | SuspendedRecord} LogRecord
 */

/**
 * A line about one kind of operation in a stage that mixes several. It has the shape of the stage's line, with the operation
 * after the name of the stage, which makes it no line of a stage: what it counts is in the stage's, and a reader of an
 * earlier version, which does not know it, counts nothing twice.
 *
 * @typedef {{ operation: string }} OfKind
 */

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {Notation} notation
 * @property {RegExp} whole matches a text that is this value and nothing else
 */

/**
 * @typedef {object} Shape
 * @property {string} kind
 * @property {RegExp} pattern with one capturing group for each field
 * @property {readonly string[]} literals what stands before, between and after the fields
 * @property {readonly Field[]} fields
 */

const STAGE_NAME = new RegExp(`^${capitalizedWord.pattern}$`);

/** No line of ours is longer, in characters. */
export const MAX_LINE_LENGTH = 8192;

/** Characters of the JSON of a machine line: the whole line stays under 1,000. */
export const MAX_MACHINE_DATA_LENGTH = 999 - '# r2-benchmark '.length;

/** What a stage may be limited by, as the log has it; the last is what earlier versions wrote for `inconclusive`. */
const CAUSES = {
  'client CPU': 'client CPU',
  'host CPU': 'host CPU',
  'network link': 'network link',
  'store throttling': 'store throttling',
  concurrency: 'concurrency',
  store: 'store',
  bandwidth: 'bandwidth',
  'beyond this host': 'beyond this host',
  inconclusive: 'inconclusive',
  'not shown': 'not shown',
};

/** What the steps of a capacity search are for; the last two are what earlier versions wrote for ramp and half size. */
const PHASES = {
  ramp: 'ramp',
  refine: 'refine',
  hold: 'hold',
  'whole size': 'whole size',
  'half size': 'half size',
  climb: 'climb',
  'second size': 'second size',
};

const milliseconds = decimal(2, 'ms');
const rate = decimal(1, '');

/** @type {Readonly<Record<string, Notation>>} */
const NOTATIONS = {
  count,
  milliseconds,
  rate,
  timeOfDay,
  stage: capitalizedWord,
  operation: operationName,
  furtherRetries: either(0, '', between(' (', count, ' more)')),
  integrityErrors: either(1, '1 integrity error', between('', count, ' integrity errors')),
  latencyOf: choice({
    operations: 'latency',
    attempts: 'attempt latency',
    firstByte: 'time to first byte',
    startDelay: 'start delay',
    parts: 'part latency',
  }),
  loop: either(null, '', between(' (', choice({ 'closed loop': 'closed loop', 'open loop': 'open loop' }), ')')),
  cause: choice(CAUSES),
  // Earlier versions wrote `ceiling`.
  capacityWord: choice({ capacity: 'capacity', ceiling: 'ceiling' }),
  sentence,
  nameLookup: either(null, '', between(' name ', milliseconds, '')),
  tcpOpening: either(null, '', between(' TCP ', openingCost(), '')),
  tlsOpening: either(null, '', between(' TLS ', openingCost(), '')),
  stageColumn: leftColumn('Remove'.length),
  countColumn: column(11, count),
  operationColumn: operationColumn('remove'.length),
  operationCountColumn: column(9, count),
  rateColumn: column(11, rate),
  throughputColumn: column(11, either(null, '-', rate)),
  percentileColumn: column(11, either(null, '-', milliseconds)),
  errorsColumn: column(10, count),
  causeColumn: between('  ', choice(CAUSES), ''),
  loadColumn: column(7, between('', count, '%')),
  phaseColumn: between('  ', choice(PHASES), ''),
  bucketsColumn: between('  ', either(1, '1 bucket', between('', count, ' buckets')), ''),
  verdictColumn: between(', ', choice({ kept: 'kept', missed: 'missed', client: 'missed by this host' }), ''),
  bucketLimit: choice({
    'per bucket': 'per bucket',
    'whole store': 'whole store, account or path',
    inconclusive: 'cannot tell',
  }),
  rateBound: choice({ exact: '', 'at least': 'at least ', 'at most': 'at most ' }),
  knownRate: either(null, 'not known', between('', rate, ' ops/s')),
  bound: choice({ exact: '', 'at least': 'at least ' }),
  interval: either(null, '', between(' ', confidenceInterval(rate), '')),
  threadCount: either(1, '1 thread', between('', count, ' threads')),
  note: either(null, '', between('; ', sentence, '')),
  jsonObject: jsonObject(MAX_MACHINE_DATA_LENGTH),
};

/** What is said of a stage, and of each kind of its operations where it mixes several. */
const OF_STAGES = {
  second: '{time:timeOfDay}: {stage:stage}: Ops {operationsPerSecond:rate}/s Throughput {megabytesPerSecond:rate}MB/s',
  summary:
    '{stage:stage} took {milliseconds:count}ms. ' +
    'Peak ops {peakOperationsPerSecond:rate}/s Avg ops {averageOperationsPerSecond:rate}/s  ' +
    'Total size {megabytes:rate}MB  Recoverable errors {recoverableErrors:count}',
  integrity: '{stage:stage}: {count:integrityErrors}',
  latency:
    '{stage:stage} {of:latencyOf}{loop:loop}: min {minimum:milliseconds} mean {mean:milliseconds} p50 {p50:milliseconds} ' +
    'p90 {p90:milliseconds} p99 {p99:milliseconds} p99.9 {p999:milliseconds} max {maximum:milliseconds}',
  limit: '{stage:stage} limited by: {cause:cause} ({evidence:sentence})',
};

const ROW_FIGURES =
  '{operationsPerSecond:rateColumn}{peakOperationsPerSecond:rateColumn}{megabytesPerSecond:throughputColumn}' +
  '{peakMegabytesPerSecond:throughputColumn}{p50:percentileColumn}{p99:percentileColumn}{errors:errorsColumn}{limitedBy:causeColumn}';

/** Every line kind, in one place for writing and reading: as it stands in the log, with `{field:notation}` for values. */
const SHAPES = compileAll({
  ...OF_STAGES,
  ...Object.fromEntries(
    Object.entries(OF_STAGES).map(([kind, template]) => [
      `kind-${kind}`,
      template.replace('{stage:stage}', '{stage:stage} {operation:operation}'),
    ]),
  ),
  schedule:
    '{stage:stage}: scheduling for {objects:count} objects in {threads:count} threads and {buckets:count} buckets',
  retrying: 'Retrying on TRANSIENT error{more:furtherRetries}',
  versions: '{stage:stage} versions: {staleReads:count} stale {foreignReads:count} foreign {tornReads:count} torn',
  suspended: '{stage:stage} was suspended for {milliseconds:count}ms, which are in no rate and no percentile',
  connections:
    '{stage:stage} connections: opened {opened:count} reused {reused:count}' +
    '{name:nameLookup}{tcp:tcpOpening}{tls:tlsOpening}',
  search:
    '{stage:stage}: searching for the peak with {objects:count} objects in up to {threads:count} threads ' +
    'and {buckets:count} buckets',
  'step-header': 'Stage     Threads      Ops/s        p50        p99    Errors Client  Step',
  'step-row':
    '{stage:stageColumn}{threads:countColumn}{operationsPerSecond:rateColumn}{p50:percentileColumn}{p99:percentileColumn}' +
    '{errors:errorsColumn}{clientLoad:loadColumn}{phase:phaseColumn}',
  'bucket-row':
    '{stage:stageColumn}{threads:countColumn}{operationsPerSecond:rateColumn}{p50:percentileColumn}{p99:percentileColumn}' +
    '{errors:errorsColumn}{clientLoad:loadColumn}{buckets:bucketsColumn}',
  'rate-header': 'Stage        Rate      Ops/s        p50        p99    Errors Client  Step',
  'rate-row':
    '{stage:stageColumn}{rate:rateColumn}{operationsPerSecond:rateColumn}{p50:percentileColumn}{p99:percentileColumn}' +
    '{errors:errorsColumn}{clientLoad:loadColumn}{phase:phaseColumn}{verdict:verdictColumn}',
  'bucket-limit': '{stage:stage} limit over buckets: {limit:bucketLimit} ({evidence:sentence})',
  'highest-rate':
    '{stage:stage} highest rate: {bound:rateBound}{operationsPerSecond:knownRate}{interval:interval}; {evidence:sentence}',
  capacity:
    '{stage:stage} {word:capacityWord}: {bound:bound}{operationsPerSecond:rate} ops/s{interval:interval} ' +
    'at {threads:threadCount}{note:note}',
  'table-header':
    'Stage         Ops      Ops/s     Peak/s       MB/s  Peak MB/s        p50        p99    Errors  Limited by',
  'table-row': `{stage:stageColumn}{objects:countColumn}${ROW_FIGURES}`,
  'kind-row': `  {operation:operationColumn}{objects:operationCountColumn}${ROW_FIGURES}`,
  machine: '# r2-benchmark {data:jsonObject}',
});

const SHAPES_WITH_TIME = [...SHAPES.values()].filter(({ fields }) => fields[0]?.notation === timeOfDay);
const SHAPES_WITHOUT_TIME = [...SHAPES.values()].filter((shape) => !SHAPES_WITH_TIME.includes(shape));

/**
 * Writes a record as the line of the log that stands for it. Rates are rounded to one decimal, latencies to two.
 *
 * @param {LogRecord} record
 * @returns {string} without a line feed
 * @throws {RangeError} where a value would not come back from the line: it is negative, not finite, not a safe integer
 *   for a count, or 1e12 and more for a rate or a latency; or where a machine line would reach 1,000 characters
 */
export function formatLine(record) {
  const shape = SHAPES.get(record.kind);
  if (shape === undefined) {
    throw new RangeError(`expected a record of kind ${[...SHAPES.keys()].join(', ')}, got ${record.kind}`);
  }
  const values = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (record));
  const texts = shape.fields.map((field) => writeValue(field, values[field.name], record.kind));
  return String.raw({ raw: shape.literals }, ...texts);
}

/**
 * Reads a line of the log, in time linear in its length. A line that is read is written again with identical bytes.
 *
 * @param {string} text without a line feed
 * @returns {LogRecord | null} null where the line is not one of ours
 */
export function parseLine(text) {
  if (text.length > MAX_LINE_LENGTH) {
    return null;
  }
  for (const { kind, pattern, fields } of candidates(text.charCodeAt(0))) {
    const match = pattern.exec(text);
    if (match !== null) {
      return readRecord(kind, fields, match);
    }
  }
  return null;
}

/**
 * @param {string} text
 * @returns {boolean} whether it can be the name of a stage, of this version or of another one
 */
export function isStageName(text) {
  return STAGE_NAME.test(text);
}

/**
 * Almost all lines of a log are those of its seconds, and no other kind begins with a digit.
 *
 * @param {number} firstCharacter its code
 */
function candidates(firstCharacter) {
  const isDigit = firstCharacter >= 0x30 && firstCharacter <= 0x39;
  return isDigit ? SHAPES_WITH_TIME : SHAPES_WITHOUT_TIME;
}

/**
 * @param {string} kind
 * @param {readonly Field[]} fields
 * @param {readonly string[]} match the whole line, then the texts of the fields
 */
function readRecord(kind, fields, match) {
  /** @type {Record<string, unknown>} */
  const record = { kind };
  for (let place = 0; place < fields.length; place += 1) {
    const { name, notation } = fields[place];
    const value = readValue(notation, match[place + 1]);
    if (value === undefined) {
      return null;
    }
    record[name] = value;
  }
  return /** @type {LogRecord} */ (/** @type {unknown} */ (record));
}

/**
 * @param {Notation} notation
 * @param {string} text
 * @returns {unknown} undefined where writing the value again would not give the same text
 */
function readValue({ parse, format, isExact }, text) {
  const value = parse(text);
  return value !== undefined && (isExact || format(value) === text) ? value : undefined;
}

/**
 * @param {Field} field
 * @param {unknown} value
 * @param {string} kind
 */
function writeValue({ name, notation, whole }, value, kind) {
  const text = notation.format(value);
  if (!whole.test(text) || readValue(notation, text) === undefined) {
    throw new RangeError(`${name} of a ${kind} line: expected ${notation.expected}, got ${text.slice(0, 80)}`);
  }
  return text;
}

/** @param {Readonly<Record<string, string>>} templates */
function compileAll(templates) {
  return new Map(Object.entries(templates).map(([kind, template]) => [kind, compile(kind, template)]));
}

/**
 * @param {string} kind
 * @param {string} template
 * @returns {Shape}
 */
function compile(kind, template) {
  const parts = template.split(/\{(\w+):(\w+)\}/);
  const literals = parts.filter((_, index) => index % 3 === 0);
  const fields = literals.slice(1).map((_, index) => {
    const notation = NOTATIONS[parts[3 * index + 2]];
    return { name: parts[3 * index + 1], notation, whole: new RegExp(`^${notation.pattern}$`) };
  });
  const groups = fields.map(({ notation }) => `(${notation.pattern})`);
  const pattern = new RegExp(`^${String.raw({ raw: literals.map(escapePattern) }, ...groups)}$`);
  return { kind, pattern, literals, fields };
}
