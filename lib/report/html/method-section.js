import { html } from './markup.js';

/**
 * @import { Result } from '../../model/result.js'
 * @import { Section } from './page.js'
 */

/** @type {readonly [term: string, definition: string][]} */
const DEFINITIONS = [
  [
    'Operation',
    'Counts only if it eventually succeeded and, if it read anything, returned exactly the expected content.',
  ],
  [
    'ops/s in a second',
    "Operations that completed in that whole UTC second, by the store's clock if it could be measured. The count is not scaled.",
  ],
  [
    'Rate',
    'The capacity if it was searched for; for several hosts, the mean of the whole seconds in which all of them were in the stage; otherwise the mean.',
  ],
  ['Mean', 'Operations ÷ duration of the stage, both without warm-up and drain.'],
  [
    'Peak second',
    'The most operations in a second entirely inside the stage, over all hosts, or the mean if that is higher.',
  ],
  [
    'MiB/s',
    'Object data in units of 1024 × 1024 bytes. Operations that move no object data, such as Stat and Remove, have none.',
  ],
  [
    'Latency',
    'From the first attempt of an operation to its success, including pauses between attempts. In an open loop, from the time at which the operation was due.',
  ],
  [
    'p99',
    '99% of the operations took this long or less. Percentiles come from HdrHistograms, to within 0.1%; histograms of hosts and seconds are added, and percentiles are never averaged.',
  ],
  ['Failed attempts', 'Attempts that failed, retried or not, except those cut off by the end of the stage.'],
  ['Throttled', 'Failed attempts in which the store asked for fewer requests (429, 503).'],
  ['Limited by', 'The bottleneck: proven by the figures, or likely if one precondition of the proof is missing.'],
  ['Knee', 'The fewest threads that reached the plateau.'],
  ['Interval', 'Contains the true rate with the given confidence.'],
];

/**
 * @param {Result} result
 * @param {boolean} isWhole whether the page contains the whole result
 * @returns {Section}
 */
export function methodSection({ hosts }, isWhole) {
  const files = [...new Set(hosts.flatMap(({ merge }) => merge?.file ?? []))];
  const rest = files.length === 0 ? 'the output of --json' : files.join(', ');
  return {
    id: 'method',
    title: 'Method, definitions and data',
    body: html`<p>
        Charts show as many points as fit. The tables, the text and the data below contain the exact figures.
      </p>
      <dl class="definitions">
        ${DEFINITIONS.map(
          ([term, definition]) =>
            html`<dt>${term}</dt>
              <dd>${definition}</dd> `,
        )}
      </dl>
      <h3>Data</h3>
      <p>
        This page contains the complete
        result${isWhole ? '.' : html`, except the per-second histograms, which are in ${rest}.`}
      </p>
      <p class="downloads">
        <a id="download-json" download="result.json">Result (JSON)</a>
        <a id="download-csv" download="seconds.csv">Seconds (CSV)</a>
      </p> `,
  };
}
