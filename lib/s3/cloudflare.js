const R2_HOST = /\.r2\.cloudflarestorage\.com$/i;

/** The header in which Cloudflare names a request, and the data center that answered it. */
export const RAY_HEADER = 'cf-ray';

/**
 * By the name alone: Cloudflare's headers come with the answers of any store behind it, and R2 offers the S3 API under no
 * other name.
 *
 * @param {string} hostname of an endpoint
 * @returns {boolean} whether it is Cloudflare R2's
 */
export function isR2(hostname) {
  return R2_HOST.test(hostname);
}

/**
 * https://developers.cloudflare.com/fundamentals/reference/http-headers/#cf-ray: hexadecimal digits, and the airport code of
 * the data center («colo»).
 *
 * @param {string} ray the header's value, which is text from outside
 * @returns {string | null} such as `FRA`; null where it names none
 */
export function coloOf(ray) {
  return /^[0-9a-f]{1,32}-([A-Z]{3})$/.exec(ray)?.[1] ?? null;
}
