/** The header in which Cloudflare names a request, and the data center that answered it. */
export const RAY_HEADER = 'cf-ray';

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
