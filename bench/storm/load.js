/** The stages of a run; each makes one operation per object. */
export const STAGES = 4;

/**
 * @typedef {object} Load
 * @property {number} objects per part
 * @property {number} parts
 * @property {'direct' | 'sdk'} client
 */

/**
 * @param {readonly string[]} parameters [operations] [parts] [direct|sdk]
 * @returns {Load}
 * @throws {RangeError} if the load is empty
 */
export function readLoad(parameters) {
  const [operations = '1000000', parts = '4', client = 'direct'] = parameters;
  const objects = Math.round(Number(operations) / Number(parts) / STAGES);
  const isLoad = objects >= 1 && Number.isInteger(Number(parts)) && Number(parts) >= 1;
  if (!isLoad || !(client === 'direct' || client === 'sdk')) {
    throw new RangeError(`expected [operations] [parts] [direct|sdk], got ${parameters.join(' ')}`);
  }
  return { objects, parts: Number(parts), client };
}
