const HOST = /\.r2\.cloudflarestorage\.com$/i;

/**
 * By the name alone: Cloudflare's headers come with the answers of any store behind it, and R2 offers the S3 API under no
 * other name.
 *
 * @param {string} hostname of an endpoint
 * @returns {boolean} whether it is Cloudflare R2's
 */
export function isR2(hostname) {
  return HOST.test(hostname);
}
