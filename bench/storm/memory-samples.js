import { readFileSync } from 'node:fs';
import { linearRegression, quantile } from 'simple-statistics';

const SAMPLE_EVERY_MS = 500;

/** At first, code is loaded and compiled, and the heap grows to its size. A leak continues after that. */
const WARM_UP_SHARE = 0.3;

const MEBIBYTE = 2 ** 20;

/**
 * @typedef {object} MemoryTrend resident memory of a process while it ran
 * @property {number} peak MiB
 * @property {number} slope MiB per minute after the warm-up
 * @property {number} growth MiB by which the median of the last third after the warm-up exceeds that of the first third
 *
 * @typedef {[seconds: number, mebibytes: number]} Sample
 */

/** Samples the resident memory of a process in Linux's /proc. */
export class MemorySamples {
  /** @type {Sample[]} */
  #samples = [];
  #timer;

  /** @param {number} pid */
  constructor(pid) {
    const startedAt = performance.now();
    this.#timer = setInterval(() => {
      const kibibytes = residentKibibytes(pid);
      if (kibibytes !== null) {
        this.#samples.push([(performance.now() - startedAt) / 1000, (kibibytes * 1024) / MEBIBYTE]);
      }
    }, SAMPLE_EVERY_MS);
  }

  /** @returns {MemoryTrend | null} null if the process ended before a trend was visible */
  stop() {
    clearInterval(this.#timer);
    return trendOf(this.#samples);
  }
}

/**
 * @param {readonly Sample[]} samples in the order of their times
 * @returns {MemoryTrend | null}
 */
function trendOf(samples) {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  if (warm.length < 6) {
    return null;
  }
  const third = Math.floor(warm.length / 3);
  const median = (/** @type {readonly Sample[]} */ some) =>
    quantile(
      some.map(([, mebibytes]) => mebibytes),
      0.5,
    );
  return {
    peak: Math.max(...samples.map(([, mebibytes]) => mebibytes)),
    slope: linearRegression(warm.map(([seconds, mebibytes]) => [seconds / 60, mebibytes])).m,
    growth: median(warm.slice(-third)) - median(warm.slice(0, third)),
  };
}

/** @param {number} pid */
function residentKibibytes(pid) {
  try {
    const parts = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return parts === null ? null : Number(parts[1]);
  } catch {
    return null;
  }
}
