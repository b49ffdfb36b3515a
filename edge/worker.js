import { isAbsentKey, isRunKey } from '../lib/load/workload/keyspace.js';
import { explainBindingError } from './binding-errors.js';
import { answerS3Request, errorAnswer } from './s3-requests.js';
import { Refusal, checkSignature } from './signature.js';

/**
 * The Worker's settings: R2_… for each bucket, the secret, the prefix of all keys, and the Worker's hosts, separated by commas.
 *
 * @typedef {{ EDGE_SECRET?: string, EDGE_PREFIX?: string, EDGE_HOSTS?: string } & Record<string, any>} Env
 */

/** The same default as the client's --prefix. */
const DEFAULT_PREFIX = 'benchmark';

/** Binding names cannot contain hyphens. The names stay distinct, because R2's bucket names contain no underscores. */
const bindingOf = (/** @type {string} */ bucket) => `R2_${bucket.replaceAll('-', '_')}`;

export default {
  /**
   * @param {Request} request
   * @param {Env} env
   * @returns {Promise<Response>}
   */
  async fetch(request, env) {
    const answer = await answerTo(request, env).catch((error) => {
      if (error instanceof Refusal) {
        return errorAnswer(403, error.code, error.message);
      }
      const { status, code, message } = explainBindingError(error);
      return errorAnswer(status, code, message);
    });
    // The client sets its clock by this header.
    answer.headers.set('date', new Date(Date.now()).toUTCString());
    return request.method === 'HEAD' && answer.body !== null
      ? new Response(null, { status: answer.status, headers: answer.headers })
      : answer;
  },
};

/**
 * @param {Request} request
 * @param {Env} env
 * @returns {Promise<Response>}
 * @throws {Refusal}
 */
async function answerTo(request, env) {
  const hash = await checkSignature(request, env.EDGE_SECRET, Date.now());
  const { hostname, pathname, searchParams: query } = new URL(request.url);
  if (env.EDGE_HOSTS !== undefined && !env.EDGE_HOSTS.split(',').includes(hostname)) {
    throw new Refusal('AccessDenied', `${hostname} is not one of the hosts in EDGE_HOSTS.`);
  }
  const prefix = env.EDGE_PREFIX ?? DEFAULT_PREFIX;
  // Keys and buckets of a run need no escapes, so a path with escapes never names any.
  const [, name, ...path] = pathname.split('/');
  const key = path.join('/');
  const binding = Object.hasOwn(env, bindingOf(name)) ? env[bindingOf(name)] : undefined;
  if (typeof binding?.head !== 'function') {
    throw new Error(`wrangler.toml binds no bucket to ${bindingOf(name)} (10006)`);
  }
  return answerS3Request({ request, hash, bucket: onlyRunKeys(binding, prefix), key, query });
}

/**
 * Restricts requests to keys that runs create, even with the secret.
 *
 * @param {R2Bucket} bucket
 * @param {string} prefix of all runs
 * @returns {R2Bucket} its calls throw a Refusal for other keys
 */
function onlyRunKeys(bucket, prefix) {
  const check = (/** @type {boolean} */ isServed) => {
    if (!isServed) {
      throw new Refusal('AccessDenied', `The Worker serves only run keys under ${prefix}/ (its EDGE_PREFIX).`);
    }
  };
  const checked = (/** @type {string} */ key) => {
    check(isRunKey(key, prefix));
    return key;
  };
  const readable = (/** @type {string} */ key) => (isAbsentKey(key, prefix) ? key : checked(key));
  return {
    head: async (key) => bucket.head(readable(key)),
    get: async (key, options) => bucket.get(readable(key), options),
    put: async (key, value, options) => bucket.put(checked(key), value, options),
    delete: async (keys) => bucket.delete(typeof keys === 'string' ? checked(keys) : keys.map(checked)),
    async list(options) {
      check(options.prefix.startsWith(`${prefix}/`));
      return bucket.list(options);
    },
  };
}
