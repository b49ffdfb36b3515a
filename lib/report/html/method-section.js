import { html } from './markup.js';

/**
 * @import { Result } from '../../model/result.js'
 * @import { Section } from './page.js'
 */

/** @type {readonly [term: string, definition: string][]} */
const DEFINITIONS = [
  [
    'Operation',
    'What succeeded in the end and, where it read anything, had exactly the expected content. Nothing else counts.',
  ],
  [
    'ops/s in a second',
    'Operations that completed in that whole second of UTC, by the clock of the store where it could be measured. The count is not scaled.',
  ],
  [
    'Rate',
    'The capacity where it was searched for; for several hosts the mean of the whole seconds in which all of them were in the stage; else the mean.',
  ],
  ['Mean', 'Operations ÷ time of the stage, both without warm-up and drain.'],
  [
    'Peak second',
    'The most operations of a second that lies wholly inside the stage, over all hosts together, or the mean where that is larger.',
  ],
  [
    'MiB/s',
    'In units of 1024 × 1024 bytes, of the objects. Operations that move no bytes of objects, such as Stat and Remove, have none.',
  ],
  [
    'Latency',
    'From the first attempt of an operation to its success, pauses between attempts included. In an open loop it begins when the operation was to start.',
  ],
  [
    'p99',
    '99% of the operations took so long, or less. Percentiles come from HdrHistograms, within 0.1%; those of hosts and seconds are added, never averaged.',
  ],
  [
    'Failed attempts',
    'Attempts that failed, whether they were tried again or not. What the end of a stage cut off is not among them.',
  ],
  ['Throttled', 'Failed attempts by whose answer the store asked for fewer requests (429, 503).'],
  ['Limited by', 'Named only where the figures prove it, and none contradicts it.'],
  ['Knee', 'The fewest threads that did as much as any others.'],
  ['Interval', 'The true rate lies between its ends with the confidence that is given.'],
];

/**
 * @param {Result} result
 * @param {boolean} isWhole whether the page holds all that the result does
 * @returns {Section}
 */
export function methodSection({ hosts }, isWhole) {
  const beside = [...new Set(hosts.flatMap(({ merge }) => merge?.file ?? []))];
  const rest = beside.length === 0 ? 'what --json writes' : beside.join(', ');
  return {
    id: 'method',
    title: 'Method, definitions and data',
    body: html`<p>
        Charts are drawn with as many points as there is room for. Tables, sentences and the data below have the exact
        figures of the result.
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
        The page holds the result that it
        shows${isWhole ? '.' : html`, but for the histograms of single seconds. They are in ${rest}.`}
      </p>
      <p class="downloads">
        <a id="download-json" download="result.json">Result (JSON)</a>
        <a id="download-csv" download="seconds.csv">Seconds (CSV)</a>
      </p> `,
  };
}
