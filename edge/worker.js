import { explainBindingError } from './binding-connection.js';
import { runSlice } from './run-slice.js';
import { answerS3Request, bodyOf, errorAnswer } from './s3-requests.js';
import { Refusal, checkSignature } from './signature.js';

/**
 * What wrangler.toml binds: R2_… for each bucket, and the secret.
 *
 * @typedef {{ EDGE_SECRET?: string } & Record<string, any>} Env
 */

/** A binding's name may not hold all that a bucket's may; of R2's names, no two become the same. */
const bindingOf = (/** @type {string} */ bucket) => `R2_${bucket.replaceAll('-', '_')}`;

export default {
  /**
   * @param {Request & { cf?: { colo?: string } }} request
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
    // By this clock the client reckons.
    answer.headers.set('date', new Date(Date.now()).toUTCString());
    return request.method === 'HEAD' && answer.body !== null
      ? new Response(null, { status: answer.status, headers: answer.headers })
      : answer;
  },
};

/**
 * @param {Request & { cf?: { colo?: string } }} request
 * @param {Env} env
 * @returns {Promise<Response>}
 * @throws {Refusal}
 */
async function answerTo(request, env) {
  const hash = await checkSignature(request, env.EDGE_SECRET, Date.now());
  const { pathname, searchParams: query } = new URL(request.url);
  const [, name, ...path] = decodeURIComponent(pathname).split('/');
  const key = path.join('/');
  const bucketNamed = (/** @type {string} */ bucket) => {
    const binding = Object.hasOwn(env, bindingOf(bucket)) ? env[bindingOf(bucket)] : undefined;
    if (typeof binding?.head !== 'function') {
      throw new Error(`wrangler.toml binds no bucket to ${bindingOf(bucket)} (10006)`);
    }
    return binding;
  };
  if (request.method === 'POST' && key === '' && query.has('slice')) {
    if (hash === null) {
      throw new Refusal('AccessDenied', 'A slice has to be signed.');
    }
    const slice = sliceIn(new TextDecoder().decode(await bodyOf(request, hash)));
    const answer = await runSlice(slice, { bucketNamed, bucket: name, colo: request.cf?.colo ?? '' });
    return Response.json(answer, { headers: { 'cache-control': 'no-store, no-transform' } });
  }
  return answerS3Request({ request, hash, bucket: bucketNamed(name), key, query });
}

/**
 * @param {string} text
 * @returns {any}
 * @throws {Refusal}
 */
function sliceIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('AccessDenied', 'The body is no slice.');
  }
}
