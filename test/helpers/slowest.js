import path from 'node:path';

/** @import { TestEvent } from 'node:test/reporters' */

const SHOWN = 10;
const SHORTEST_MS = 1000;

/**
 * A reporter that lists the files whose tests took longest.
 *
 * @param {AsyncIterable<TestEvent>} events
 * @returns {AsyncGenerator<string, void>}
 */
export default async function* slowest(events) {
  /** @type {Map<string, number>} */
  const times = new Map();
  for await (const { type, data } of events) {
    // Node also reports each file as a test, with the time to load it; one that runs others belongs to no folder here.
    if (type !== 'test:complete' || data.nesting > 0 || !data.file?.startsWith(process.cwd())) {
      continue;
    }
    const { file, name, details } = data;
    const before = times.get(file) ?? 0;
    const isWhole = path.resolve(name) === file;
    times.set(file, isWhole ? Math.max(before, details.duration_ms) : before + details.duration_ms);
  }
  const longest = [...times].filter(([, time]) => time >= SHORTEST_MS).sort(([, one], [, other]) => other - one);
  yield `\nWhat took longest:\n`;
  for (const [file, time] of longest.slice(0, SHOWN)) {
    yield `${(time / 1000).toFixed(1).padStart(7)} s  ${path.relative(process.cwd(), file)}\n`;
  }
}
