import { studentT } from '../../measure/statistics/student-t.js';

/**
 * @typedef {object} LateCount the outcome of a step at one rate
 * @property {number} rate operations started per second
 * @property {number} operations measured
 * @property {number} late operations that took too long
 * @property {readonly SecondCount[]} seconds counts for each whole second of the measured time
 *
 * @typedef {Pick<LateCount, 'operations' | 'late'>} SecondCount
 */

/**
 * @typedef {{ rate: number, low: number, high: number }} Crossing ops/s at which the share of late operations crosses a
 *   limit, and its 95% confidence interval
 */

const MAX_ITERATIONS = 50;
const CONVERGED = 1e-9;

/** An operation is often late because the previous one was: a single wait shows as several late operations. */
const MIN_DISPERSION = 8;

/**
 * Widens the interval. Seconds share a queue, and each rate was chosen by earlier results, so the counts contain less
 * information than the model assumes.
 */
const DEPENDENCE = 2;

/** Minimum number of rates to estimate a share of late operations. */
const MIN_RATES = 3;

/**
 * Finds the rate at which the share of late operations crosses the limit. Late operations come in clusters, so a few
 * seconds reveal little, but all rates near the limit together reveal much more. The tail of a queue's waiting time is
 * roughly exponential, so the logarithm of a small share of late operations is roughly linear in the rate (S. Asmussen,
 * Applied Probability and Queues, 2003, chapter XIII). A logistic regression, with the dispersion estimated from the
 * seconds, fits the line (P. McCullagh, J. A. Nelder, Generalized Linear Models, 1989, chapter 4). The delta method
 * gives the rate at which the line crosses the limit, and its interval.
 *
 * @param {readonly LateCount[]} counts in any order
 * @param {number} limit the share of late operations, between 0 and 1
 * @returns {Crossing | null} null if the counts show no rising line
 */
export function crossingOf(counts, limit) {
  const withLate = new Set(counts.filter(({ late }) => late > 0).map(({ rate }) => rate));
  if (counts.length < MIN_RATES || withLate.size < 2) {
    return null;
  }
  const center = counts.reduce((sum, { rate }) => sum + rate, 0) / counts.length;
  const points = counts.map(({ rate, ...count }) => ({ ...count, x: rate / center - 1 }));
  const line = fitLine(points);
  if (line === null || line.slope <= 0) {
    return null;
  }
  const { intercept, slope, covariance } = line;
  const cells = points.flatMap(({ x, seconds }) => seconds.map((second) => ({ ...second, x })));
  const freedom = Math.max(cells.length - 2, 1);
  const residuals = cells.map(({ x, operations, late }) => {
    const share = logistic(intercept + slope * x);
    return (late - operations * share) ** 2 / (operations * share * (1 - share));
  });
  const dispersion = Math.max(residuals.reduce((sum, each) => sum + each, 0) / freedom, MIN_DISPERSION);
  const x = (Math.log(limit / (1 - limit)) - intercept) / slope;
  const variance = (covariance[0] + 2 * x * covariance[1] + x ** 2 * covariance[2]) / slope ** 2;
  const half = DEPENDENCE * studentT(freedom) * Math.sqrt(dispersion * variance) * center;
  const rate = center * (1 + x);
  return Number.isFinite(half) ? { rate, low: Math.max(rate - half, 0), high: rate + half } : null;
}

/**
 * Fits log(late ÷ punctual) = intercept + slope × x by maximum likelihood, with Newton's method.
 *
 * @param {readonly { x: number, operations: number, late: number }[]} points
 * @returns {{ intercept: number, slope: number, covariance: [number, number, number] } | null} `covariance`:
 *   variance of the intercept, covariance of both, variance of the slope, at a dispersion of 1; null if the fit fails
 */
function fitLine(points) {
  const late = points.reduce((sum, point) => sum + point.late, 0);
  const operations = points.reduce((sum, point) => sum + point.operations, 0);
  let intercept = Math.log(late / Math.max(operations - late, 1));
  let slope = 0;
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    let [a, b, c, u, v] = [0, 0, 0, 0, 0];
    for (const point of points) {
      const share = logistic(intercept + slope * point.x);
      const weight = point.operations * share * (1 - share);
      const surplus = point.late - point.operations * share;
      a += weight;
      b += weight * point.x;
      c += weight * point.x ** 2;
      u += surplus;
      v += surplus * point.x;
    }
    const determinant = a * c - b * b;
    if (!(determinant > 0) || !Number.isFinite(determinant)) {
      return null;
    }
    const steps = [(c * u - b * v) / determinant, (a * v - b * u) / determinant];
    intercept += steps[0];
    slope += steps[1];
    if (Math.abs(steps[0]) + Math.abs(steps[1]) < CONVERGED * (1 + Math.abs(slope))) {
      return { intercept, slope, covariance: [c / determinant, -b / determinant, a / determinant] };
    }
  }
  return null;
}

/** @param {number} value */
function logistic(value) {
  return 1 / (1 + Math.exp(-value));
}
