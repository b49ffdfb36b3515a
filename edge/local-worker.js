import worker from './worker.js';

/**
 * @typedef {object} Behaviour of the local R2, for tests
 * @property {Record<string, number>} [delays] ms to wait before a call of a binding, by the call's name
 */

/** Calls of the bindings by name. @type {Record<string, number>} */
const record = {};

/** The deployed Worker, with bindings that record their calls. */
export default {
  /**
   * @param {Request} request
   * @param {Record<string, any>} env
   */
  async fetch(request, env) {
    if (new URL(request.url).pathname === '/local-record') {
      return Response.json(record);
    }
    /** @type {Behaviour} */
    const behaviour = env.BEHAVIOUR;
    const bindings = Object.entries(env).map(([name, value]) => [
      name,
      name.startsWith('R2_') ? recorded(value, behaviour) : value,
    ]);
    return worker.fetch(request, Object.fromEntries(bindings));
  },
};

/**
 * @param {R2Bucket} bucket
 * @param {Behaviour} behaviour
 * @returns {R2Bucket}
 */
function recorded(bucket, { delays = {} }) {
  return new Proxy(bucket, {
    get(target, /** @type {keyof R2Bucket} */ name) {
      return async (/** @type {any[]} */ ...parameters) => {
        record[name] = (record[name] ?? 0) + 1;
        if (delays[name] !== undefined) {
          await new Promise((resolve) => setTimeout(resolve, delays[name]));
        }
        return /** @type {any} */ (target)[name](...parameters);
      };
    },
  });
}
