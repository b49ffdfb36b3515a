import { pass } from './fault-effects.js';

/**
 * @import { Socket } from 'node:net'
 * @import { Answer } from './answer.js'
 * @import { Fault } from './fault-injector.js'
 * @import { HeaderList, Result } from './operations.js'
 *
 * @typedef {object} Victim the request that a fault affects
 * @property {Fault} fault
 * @property {Answer} answer
 * @property {() => Result} perform carries out the request and returns the correct response
 * @property {() => Result} performBefore the response that was correct before the object's last write
 * @property {() => Result} pretend carries out the request on no object, so that it has no effect
 * @property {(age: number) => Result} performBeforeWrites without the objects written in the last ms
 * @property {() => void} check throws an S3Error if a condition of the request does not hold
 * @property {() => Result} performUnconditionally carries out the request as if it had no conditions
 * @property {(socket: Socket) => void} reset closes a connection with RST
 */

const DRIP_PAUSE = 50;

/** @param {Victim} victim */
export function refuse({ fault, answer }) {
  const headers = fault.retryAfter === null ? [] : ['Retry-After', fault.retryAfter];
  answer.sendError({ ...fault, message: 'A fault script makes the embedded endpoint answer this.' }, headers);
}

/** @param {Victim} victim */
export function reset({ answer, reset: resetConnection }) {
  withSocket(answer, resetConnection);
}

/** @param {Victim} victim */
export function lose({ answer, perform }) {
  perform();
  withSocket(answer, (socket) => socket.destroy());
}

/** @param {Victim} victim */
export function confirm({ answer, pretend }) {
  answer.send(pretend());
}

/** @param {Victim} victim */
export function lag({ fault, answer, performBeforeWrites }) {
  answer.send(performBeforeWrites(fault.milliseconds));
}

/** @param {Victim} victim */
export function truncate({ answer, perform }) {
  const { result, body } = performWithBody(perform);
  answer.begin(result);
  answer.write(body.subarray(0, body.length >>> 1), () => withSocket(answer, (socket) => socket.destroySoon()));
}

/** @param {Victim} victim */
export function corrupt({ answer, perform }) {
  const { result, body } = performWithBody(perform);
  const corrupted = Buffer.from(body);
  corrupted[corrupted.length >>> 1] ^= 1;
  answer.send({ ...result, body: corrupted });
}

/** @param {Victim} victim */
export function drip({ answer, perform }) {
  const { result, body } = performWithBody(perform);
  answer.begin(result);
  const sendByte = (/** @type {number} */ position) => {
    if (position === body.length - 1) {
      answer.end(result.status, body.subarray(position));
    } else if (!answer.isAbandoned) {
      answer.write(body.subarray(position, position + 1));
      setTimeout(sendByte, DRIP_PAUSE, position + 1);
    }
  };
  sendByte(0);
}

/** @param {Victim} victim */
export function ignoreCondition({ answer, performUnconditionally }) {
  answer.send(performUnconditionally());
}

/** @param {Victim} victim */
export async function checkThenWrite({ fault, answer, check, performUnconditionally }) {
  check();
  await pass(fault.milliseconds);
  answer.send(performUnconditionally());
}

/** @param {Victim} victim */
export function stale({ answer, performBefore }) {
  answer.send(performBefore());
}

/**
 * @param {string} name of a header
 * @param {(value: string | number) => string | number} change
 * @returns {(victim: Victim) => void} answers with another value in that header
 */
export function changeHeader(name, change) {
  return ({ answer, perform }) => {
    const result = perform();
    /** @type {HeaderList} */
    const headers = result.headers.map((value, index) => (result.headers[index - 1] === name ? change(value) : value));
    answer.send({ ...result, headers });
  };
}

/** @param {Victim['perform']} perform */
function performWithBody(perform) {
  const result = perform();
  return { result, body: /** @type {Buffer} */ (result.body) };
}

/**
 * @param {Answer} answer
 * @param {(socket: Socket) => void} act
 */
function withSocket({ response }, act) {
  if (response.socket !== null) {
    act(response.socket);
  }
}
