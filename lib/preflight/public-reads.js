import { IntegrityError } from '../operations/operation.js';
import { retriedRequest } from '../s3/retry.js';
import { AttemptError } from '../s3/s3-error.js';
import { sendControlRequest } from './control-request.js';

/**
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { RequestContext } from './control-request.js'
 */

/** The first read can fill the cache, and the second can hit it. */
const READS = 2;

/**
 * @typedef {object} PublicReads
 * @property {AttemptError | null} error why the public URL does not serve the object
 * @property {string} cache why reads do not measure a cache; '' if they do
 * @property {number} attempts
 */

/**
 * @param {RequestContext} context
 * @param {OperationRecord} record of a read
 */
export async function readByPublicUrl(context, record) {
  const { connection, bucket } = record;
  let attempts = 0;
  for (let read = 1; read <= READS; read++) {
    let isWrong = false;
    const attempt = async () => {
      try {
        await record.attempt();
      } catch (error) {
        if (!(error instanceof IntegrityError)) {
          throw error;
        }
        isWrong = true;
      }
    };
    const answer = await sendControlRequest(context, retriedRequest(attempt, connection));
    attempts += answer.attempts;
    if (answer.error !== null) {
      return { error: answer.error, cache: '', attempts };
    }
    if (isWrong) {
      return { error: otherContent(record), cache: '', attempts };
    }
  }
  const { cacheStatus = 'none', isCopy = false } = connection.reply;
  return { error: null, cache: isCopy ? '' : cacheNotice(bucket, cacheStatus), attempts };
}

/** @param {OperationRecord} record of a read that returned something other than its object */
function otherContent({ connection: { reply } }) {
  const isPage = reply.isPage === true;
  return new AttemptError({
    kind: 'protocol',
    handling: 'stop',
    message: `HTTP ${reply.status} with ${isPage ? 'an HTML page' : 'something else'} in place of the object`,
    status: reply.status,
    publicUrl: reply.publicUrl ?? 'that was given',
    advice: isPage
      ? "check that it is the bucket's address, and that no bot challenge or Access login blocks it"
      : "check that it is this bucket's address, and that nothing changes the content that it serves",
  });
}

/**
 * @param {string} bucket
 * @param {string} status of the second read
 */
function cacheNotice(bucket, status) {
  return status === 'none'
    ? `No response header of the public URL shows that a cache serves reads of ${bucket}: all of them may reach the store`
    : `The public URL does not cache objects of ${bucket} (a second read was ${status}): Cloudflare caches by file extension, unless a Cache Rule makes the keys eligible for cache`;
}
