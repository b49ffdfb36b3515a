/** Bytes per MiB. */
export const MEGABYTE = 1024 ** 2;

const SECONDS_PER_DAY = 86_400;

/**
 * @param {number} value
 * @param {number} [places]
 * @returns {string} such as `12,345.6`
 */
export function decimal(value, places = 1) {
  return value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places });
}

/** @param {number} value of an axis */
export function short(value) {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 6 });
}

/** @param {number | null | undefined} ms */
export function milliseconds(ms) {
  return ms === null || ms === undefined ? 'unknown' : `${decimal(ms, ms < 10 ? 2 : 1)} ms`;
}

/** UTC, such as `12:00:06`. @param {number} second epoch second */
export function timeOfDay(second) {
  const rest = ((Math.floor(second) % SECONDS_PER_DAY) + SECONDS_PER_DAY) % SECONDS_PER_DAY;
  const parts = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60, rest % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** Such as `99.9%`. @param {number} nines 1 is 90%, 2 is 99% */
export function percentile(nines) {
  const places = Math.max(Math.ceil(nines) - 1, 0);
  return `${Number((100 * (1 - 10 ** -nines)).toFixed(Math.max(places - 1, 0) + 2))}%`;
}
