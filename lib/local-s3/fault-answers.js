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
 * @property {(socket: Socket) => void} reset closes a connection with RST
 */

const DRIP_PAUSE = 50;

const WRONG_ETAG = `"${'0'.repeat(32)}"`;

/** @type {Readonly<Record<string, (victim: Victim) => void>>} */
const FAULTS = Object.freeze({
  status: refuse,
  rate: refuse,
  reset: ({ answer, reset }) => withSocket(answer, reset),
  hang: () => {},
  lost: ({ answer, perform }) => {
    perform();
    withSocket(answer, (socket) => socket.destroy());
  },
  truncate: ({ answer, perform }) => {
    const result = perform();
    answer.begin(result);
    answer.write(bodyOf(result).subarray(0, bodyOf(result).length >>> 1), () =>
      withSocket(answer, (socket) => socket.destroySoon()),
    );
  },
  corrupt: ({ answer, perform }) => {
    const result = perform();
    const body = Buffer.from(bodyOf(result));
    body[body.length >>> 1] ^= 1;
    answer.send({ ...result, body });
  },
  drip: ({ answer, perform }) => {
    const result = perform();
    answer.begin(result);
    drip(answer, result, 0);
  },
  stale: ({ answer, performBefore }) => answer.send(performBefore()),
  'wrong-etag': ({ answer, perform }) => answer.send(replaceHeader(perform(), 'ETag', () => WRONG_ETAG)),
  'wrong-size': ({ answer, perform }) =>
    answer.send(replaceHeader(perform(), 'Content-Length', (size) => Number(size) + 1)),
});

/** @param {Victim} victim */
export function answerWithFault(victim) {
  FAULTS[victim.fault.name](victim);
}

/** @param {Victim} victim */
function refuse({ fault, answer }) {
  const headers = fault.retryAfter === null ? [] : ['Retry-After', fault.retryAfter];
  answer.sendError({ ...fault, message: 'A fault script makes the embedded endpoint answer this.' }, headers);
}

/**
 * @param {Answer} answer
 * @param {Result} result
 * @param {number} position of the next byte
 */
function drip(answer, result, position) {
  const body = bodyOf(result);
  if (position === body.length - 1) {
    answer.end(result.status, body.subarray(position));
  } else if (!answer.isAbandoned) {
    answer.write(body.subarray(position, position + 1));
    setTimeout(drip, DRIP_PAUSE, answer, result, position + 1);
  }
}

/** @param {Result} result */
function bodyOf({ body }) {
  if (body === undefined) {
    throw new Error('A body fault affected a request whose response has no body.');
  }
  return body;
}

/**
 * @param {Result} result
 * @param {string} name
 * @param {(value: string | number) => string | number} change
 * @returns {Result}
 */
function replaceHeader(result, name, change) {
  /** @type {HeaderList} */
  const headers = result.headers.map((value, index) => (result.headers[index - 1] === name ? change(value) : value));
  return { ...result, headers };
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
