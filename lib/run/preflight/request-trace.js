import { plainLine } from '../../text/plain-text.js';
import { redact } from '../../text/redact.js';

/** @import { Socket } from 'node:net' */

/** Bytes to keep of each direction: a head, and a document if it is short. */
const MAX_KEPT = 8192;

const REMOVED = '[removed]';

/** Headers whose whole value proves who sends the request, unless it is a signature. */
const PRIVATE = /^(authorization|proxy-authorization|cookie|set-cookie|[\w-]*(?:token|secret)[\w-]*): (?!AWS4-).*/i;

const SIGNED = /(Credential=|Signature=|Security-Token=)[^,&\s/]+/gi;

/**
 * Shows one request and response per operation exactly as they were sent, except for secrets and bodies. It watches the
 * connections that are used outside the stages, so that it costs the stages nothing.
 */
export class RequestTrace {
  #absentKey;
  /** @type {Set<string>} */
  #seen = new Set();
  #name = '';
  /** The connection of the request; null until it is sent. @type {Socket | null} */
  #socket = null;
  #sent = { text: '', bytes: 0 };
  #received = { text: '', bytes: 0 };

  /** @param {string} absentKey whose requests, of the store's clock for example, are sent at the same time */
  constructor(absentKey) {
    this.#absentKey = absentKey;
  }

  /** @param {Socket} socket */
  watch(socket) {
    const { write, emit } = socket;
    socket.write = (/** @type {any} */ chunk, /** @type {any[]} */ ...rest) => {
      if (this.#name !== '' && (this.#socket !== null || !String(chunk).includes(this.#absentKey))) {
        this.#socket ??= socket;
        this.#keep(socket, this.#sent, chunk);
      }
      return /** @type {any} */ (write).call(socket, chunk, ...rest);
    };
    socket.emit = (/** @type {any} */ event, /** @type {any[]} */ ...values) => {
      if (event === 'data') {
        this.#keep(socket, this.#received, values[0]);
      }
      return /** @type {any} */ (emit).call(socket, event, ...values);
    };
  }

  /** @param {string} name of the operation whose request is sent next; only its first one is shown */
  begin(name) {
    if (this.#name === '' && !this.#seen.has(name)) {
      this.#name = name;
      this.#socket = null;
      this.#sent = { text: '', bytes: 0 };
      this.#received = { text: '', bytes: 0 };
    }
  }

  /**
   * @param {string} name of the operation whose response has arrived, perhaps from another bucket than the traced one
   * @returns {string[]} lines; empty if its request is not shown
   */
  end(name) {
    if (this.#name !== name || this.#received.bytes === 0) {
      return [];
    }
    this.#name = '';
    this.#seen.add(name);
    return [`One request of ${name}:`, ...linesOf('>', this.#sent), ...linesOf('<', this.#received)];
  }

  /**
   * @param {Socket} socket
   * @param {{ text: string, bytes: number }} kept
   * @param {string | Uint8Array} chunk
   */
  #keep(socket, kept, chunk) {
    if (this.#name !== '' && socket === this.#socket) {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('latin1');
      kept.bytes += text.length;
      kept.text += text.slice(0, Math.max(MAX_KEPT - kept.text.length, 0));
    }
  }
}

/**
 * @param {string} mark
 * @param {{ text: string, bytes: number }} kept
 */
function linesOf(mark, { text, bytes }) {
  const end = text.indexOf('\r\n\r\n');
  const head = text.slice(0, end === -1 ? undefined : end);
  const body = end === -1 ? '' : text.slice(end + 4);
  const length = bytes - head.length - 4;
  const isDocument = /^(?:[0-9a-f]+\r\n)?\s*</i.test(body) && bytes <= MAX_KEPT;
  const shown = isDocument ? body.split(/\r?\n/) : length > 0 ? [`[${length} bytes]`] : [];
  return [...head.split('\r\n').map(withoutSecrets), '', ...shown].map((line) =>
    `${mark} ${plainLine(redact(line))}`.trimEnd(),
  );
}

/** @param {string} line of a head */
function withoutSecrets(line) {
  return line.replace(PRIVATE, `$1: ${REMOVED}`).replace(SIGNED, `$1${REMOVED}`);
}
