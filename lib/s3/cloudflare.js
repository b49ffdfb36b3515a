const R2_HOST = /\.r2\.cloudflarestorage\.com$/i;

/** Cloudflare's identifier of a request. It includes the data centre that responded. */
export const RAY_HEADER = 'cf-ray';

/**
 * Checks the hostname and not the response headers, because every store behind Cloudflare's proxy sends Cloudflare's
 * headers. R2 offers the S3 API only under this domain.
 *
 * @param {string} hostname of an endpoint
 */
export function isR2(hostname) {
  return R2_HOST.test(hostname);
}

/**
 * A ray ID consists of hexadecimal digits, a dash, and the airport code of the data centre («colo»):
 * https://developers.cloudflare.com/fundamentals/reference/http-headers/#cf-ray
 *
 * @param {string} ray the header's value, which is untrusted text
 * @returns {string | null} such as `FRA`; null if the value contains no data centre
 */
export function coloOf(ray) {
  return /^[0-9a-f]{1,32}-([A-Z]{3})$/.exec(ray)?.[1] ?? null;
}
