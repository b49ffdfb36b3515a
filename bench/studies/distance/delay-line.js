import { Duplex } from 'node:stream';

/** Bytes that can be in flight in one direction before the sender must wait. */
const MAX_IN_FLIGHT = 1024 * 1024;

/**
 * @callback Wake calls back at a time, never early
 * @param {number} time ms of the line's clock
 * @param {() => void} callback
 * @returns {void}
 */

/** One direction of a connection over a distance: data and the end of the stream come out in order after the delay. */
export class DelayLine extends Duplex {
  #delay;
  #now;
  #wake;
  #hold;
  /** In order of time. @type {{ due: number, chunk: Buffer | null }[]} */
  #underWay = [];
  #bytes = 0;
  #lastDue = 0;
  #isWanted = false;
  #isAwaited = false;
  /** @type {(() => void) | null} */
  #accepted = null;

  /**
   * @param {object} options
   * @param {number} options.delay ms
   * @param {number} options.firstBytesHold extra ms for which the first bytes are held
   * @param {() => number} options.now ms
   * @param {Wake} options.wake
   */
  constructor({ delay, firstBytesHold, now, wake }) {
    super({ allowHalfOpen: true });
    this.#delay = delay;
    this.#hold = firstBytesHold;
    this.#now = now;
    this.#wake = wake;
  }

  /**
   * @param {Buffer} chunk
   * @param {BufferEncoding} _encoding
   * @param {() => void} callback
   */
  _write(chunk, _encoding, callback) {
    this.#bytes += chunk.length;
    this.#send(chunk);
    if (this.#bytes < MAX_IN_FLIGHT) {
      callback();
    } else {
      this.#accepted = callback;
    }
  }

  /** @param {() => void} callback */
  _final(callback) {
    this.#send(null);
    callback();
  }

  _read() {
    this.#isWanted = true;
    this.#deliver();
  }

  /** @param {Buffer | null} chunk null for the end */
  #send(chunk) {
    this.#lastDue = Math.max(this.#lastDue, this.#now() + this.#delay + this.#hold);
    this.#hold = 0;
    this.#underWay.push({ due: this.#lastDue, chunk });
    this.#deliver();
  }

  #deliver() {
    while (this.#isWanted && this.#underWay.length > 0 && this.#underWay[0].due <= this.#now()) {
      const [{ chunk }] = this.#underWay.splice(0, 1);
      this.#isWanted = this.push(chunk);
      this.#bytes -= chunk?.length ?? 0;
    }
    if (this.#accepted !== null && this.#bytes < MAX_IN_FLIGHT) {
      const accepted = this.#accepted;
      this.#accepted = null;
      accepted();
    }
    if (this.#isWanted && !this.#isAwaited && this.#underWay.length > 0) {
      this.#isAwaited = true;
      this.#wake(this.#underWay[0].due, () => {
        this.#isAwaited = false;
        this.#deliver();
      });
    }
  }
}
