import { STATUS_CODES } from 'node:http';
import { mix32 } from '../workload/mix.js';
import { Payload } from '../workload/payload.js';
import { deleteResult } from './delete-objects.js';
import { listObjects } from './list-objects.js';
import { listUploads, uploadCompleted, uploadCreated } from './multipart.js';
import { ObjectTable } from './object-table.js';
import { S3Error, errorDocument } from './s3-error.js';
import { UploadTable } from './upload-table.js';

/**
 * @import { Operation, Target } from './router.js'
 *
 * @typedef {object} NullAnswer
 * @property {number} status
 * @property {string} head status line and headers, without Date and the final empty line
 * @property {string | Buffer | Iterable<Buffer>} body '' for none
 */

const OBJECT_KEY = /(?:^|\/)([A-Za-z0-9._-]+)\/[0-9a-f]{8}-(?:probe-)?([0-9]{1,15})$/;
const NO_OBJECTS = new ObjectTable();
const NO_UPLOADS = new UploadTable();

/** Uploads are not stored, so they can share an ID. */
const UPLOAD_ID = 'upload';

/** Number of payloads kept, one per run. Each takes up to 18 MB. */
const PAYLOADS_KEPT = 8;

/** Builds the responses of null mode from the request alone. */
export class NullAnswers {
  #objectSize;
  /** @type {Map<string, Payload>} */
  #payloads = new Map();

  /** @param {number} objectSize bytes of each object */
  constructor(objectSize) {
    this.#objectSize = objectSize;
  }

  /**
   * @param {Operation} operation
   * @param {Target} target
   * @param {S3Error | null} refusal why operation `OTHER` is refused
   * @returns {NullAnswer}
   */
  answer(operation, target, refusal) {
    try {
      return this.#answerTo(operation, target, refusal);
    } catch (error) {
      if (!(error instanceof S3Error)) {
        throw error;
      }
      return xml(error.status, errorDocument(error, target.path));
    }
  }

  /**
   * @param {Operation} operation
   * @param {Target} target
   * @param {S3Error | null} refusal
   * @returns {NullAnswer}
   */
  #answerTo(operation, target, refusal) {
    switch (operation) {
      case 'PUT':
        return { status: 200, head: objectHead(target.key, 0), body: '' };
      case 'HEAD':
        return { status: 200, head: objectHead(target.key, this.#objectSize), body: '' };
      case 'GET':
        return { status: 200, head: objectHead(target.key, this.#objectSize), body: this.#bodyOf(target.key) };
      case 'DELETE':
        return { status: 204, head: 'HTTP/1.1 204 No Content\r\n', body: '' };
      case 'BUCKET':
        return { status: 200, head: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n', body: '' };
      case 'POST':
        return xml(200, deleteResult(''));
      case 'LIST':
        return xml(200, listObjects(target.bucket, NO_OBJECTS, target.query));
      case 'CREATE':
        return xml(200, uploadCreated(target.bucket, target.key, UPLOAD_ID));
      case 'PART':
        return { status: 200, head: objectHead(target.key, 0), body: '' };
      case 'COMPLETE':
        return xml(200, uploadCompleted(target.bucket, target.key, etagOf(target.key)));
      case 'ABORT':
        return { status: 204, head: 'HTTP/1.1 204 No Content\r\n', body: '' };
      case 'UPLOADS':
        return xml(200, listUploads(target.bucket, NO_UPLOADS, target.query));
      case 'OTHER':
        throw refusal;
    }
  }

  /** @param {string} key */
  #bodyOf(key) {
    const parts = OBJECT_KEY.exec(key);
    if (parts === null) {
      throw new S3Error('NoSuchKey', 'The specified key is not of the form <prefix>/<run id>/<8 hex>-<index>.');
    }
    return this.#payloadOf(parts[1]).body(Number(parts[2]), this.#objectSize);
  }

  /** @param {string} runId */
  #payloadOf(runId) {
    let payload = this.#payloads.get(runId);
    if (payload === undefined) {
      if (this.#payloads.size === PAYLOADS_KEPT) {
        this.#payloads.clear();
      }
      payload = new Payload(runId);
      this.#payloads.set(runId, payload);
    }
    return payload;
  }
}

/**
 * @param {string} key
 * @param {number} size bytes
 */
function objectHead(key, size) {
  return `HTTP/1.1 200 OK\r\nETag: ${etagOf(key)}\r\nContent-Length: ${size}\r\n`;
}

/**
 * A quoted ETag that depends only on the key, so that PUT and HEAD agree: a 32-bit hash, repeated to the usual length.
 *
 * @param {string} key
 */
function etagOf(key) {
  let state = 0;
  for (let offset = 0; offset < key.length; offset++) {
    state = Math.imul(state, 31) + key.charCodeAt(offset);
  }
  return `"${mix32(state).toString(16).padStart(8, '0').repeat(4)}"`;
}

/**
 * @param {number} status
 * @param {string} document
 */
function xml(status, document) {
  const body = Buffer.from(document);
  const headers = `Content-Type: application/xml\r\nContent-Length: ${body.length}\r\n`;
  return { status, head: `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}`, body };
}
