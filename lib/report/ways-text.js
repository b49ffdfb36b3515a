import { decimal, rounded } from '../text/figures.js';
import { plainLine } from '../text/plain-text.js';
import { WAY_LATENCIES, wayLatency, wayName, wayNotes, wayRemark, wayRows } from './ways.js';

/**
 * @import { WayResult } from '../model/result.js'
 * @import { WayRow } from './ways.js'
 */

const UNKNOWN = '-';

/** @type {readonly { title: string, cell: (row: WayRow) => string }[]} */
const FIGURES = [
  { title: 'operations', cell: ({ figures: { operations } }) => rounded(operations) },
  {
    title: 'ops/s',
    cell: ({ figures: { operationsPerSecond } }) =>
      operationsPerSecond === null ? UNKNOWN : decimal(operationsPerSecond),
  },
  ...WAY_LATENCIES.map(({ title, of, isMean }) => ({
    title: title.toLowerCase(),
    cell: (/** @type {WayRow} */ { way, figures: { latency } }) =>
      latency === null ? UNKNOWN : wayLatency(of(latency), way, isMean),
  })),
  { title: 'failed', cell: ({ figures: { failedAttempts } }) => rounded(failedAttempts) },
];

/** A table of the hosts' access paths. @param {readonly WayResult[]} ways */
export function formatWays(ways) {
  const rows = wayRows(ways);
  const table = [
    ['', ...FIGURES.map(({ title }) => title)],
    ...rows.map((row) => [nameOf(row), ...FIGURES.map(({ cell }) => cell(row))]),
  ];
  const widths = table[0].map((_, column) => Math.max(...table.map((cells) => cells[column].length)));
  const [head, ...lines] = table.map(([name, ...figures]) =>
    [name.padEnd(widths[0]), ...figures.map((figure, index) => figure.padStart(widths[index + 1]))].join('  '),
  );
  return [
    'Access paths, latencies in ms',
    `  ${head}`,
    ...lines.flatMap((line, index) => {
      const { heading } = rows[index];
      return [...(rows[index - 1]?.heading === heading ? [] : [`  ${plainLine(heading)}`]), `  ${line}`];
    }),
    ...wayNotes(ways).map((note) => `  ${note}`),
  ];
}

/** @param {WayRow} row */
function nameOf({ way }) {
  const remark = wayRemark(way);
  return `  ${wayName(way)}${remark === '' ? '' : `, ${remark}`}`;
}
