import { Refusal, sha256 } from './signature.js';

// Serves the S3 calls that a run needs, from a binding.

const MAX_KEYS = 1000;

/** Maximum bytes of a document. 1,000 keys of 1,024 bytes with their tags take a third. */
const MAX_DOCUMENT_BYTES = 4 * 2 ** 20;

/**
 * Bodies up to this many bytes are held in memory during the binding's call, so that its duration is that of the call
 * alone. The duration of a call with a larger body also depends on the user's connection.
 */
const MAX_BUFFERED_BYTES = 2 ** 20;

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';
const RANGE = /^bytes=(\d{1,15})-(\d{1,15})$/;
const NAMED_KEY = /<Key>([^<]+)<\/Key>/g;

/** @type {Readonly<Record<string, string>>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
/** @type {Readonly<Record<string, string>>} */
const CHARACTERS = Object.fromEntries(Object.entries(ENTITIES).map(([character, entity]) => [entity, character]));

/** Keep caches from storing measured objects, and from compressing them, which would change the ETag. */
const OBJECT_HEADERS = { 'content-type': 'application/octet-stream', 'cache-control': 'no-store, no-transform' };

/**
 * @typedef {object} SignedRequest
 * @property {Request} request
 * @property {string | null} hash of the body; see checkSignature()
 * @property {R2Bucket} bucket
 * @property {string} key '' if the request concerns the bucket
 * @property {URLSearchParams} query
 */

/**
 * @param {SignedRequest} signed
 * @returns {Promise<Response>}
 * @throws {Refusal}
 */
export async function answerS3Request(signed) {
  const { request, key, query } = signed;
  const { method } = request;
  if (key !== '') {
    const answer = OBJECT_REQUESTS[method];
    if (answer !== undefined && query.size === 0) {
      return answer(signed);
    }
  } else if (method === 'GET' && query.get('list-type') === '2') {
    return listObjects(signed);
  } else if (method === 'POST' && query.has('delete')) {
    return deleteObjects(signed);
  } else if (method === 'GET' && query.has('versioning')) {
    return xml(200, `<VersioningConfiguration xmlns="${NAMESPACE}"/>`);
  } else if (method === 'GET' && query.has('uploads')) {
    // The Worker never writes objects in parts.
    const list = '<IsTruncated>false</IsTruncated>';
    return xml(200, `<ListMultipartUploadsResult xmlns="${NAMESPACE}">${list}</ListMultipartUploadsResult>`);
  }
  return errorAnswer(501, 'NotImplemented', 'The Worker does not support this call.');
}

/** @type {Readonly<Record<string, (signed: SignedRequest) => Promise<Response>>>} */
const OBJECT_REQUESTS = {
  async PUT({ request, hash, bucket, key }) {
    const onlyIf = conditionOf(request.headers);
    if (
      [...request.headers.keys()].some((name) => name.startsWith('x-amz-checksum-') || name === 'x-amz-copy-source')
    ) {
      return errorAnswer(501, 'NotImplemented', 'The Worker supports neither copies nor checksums.');
    }
    const isBuffered = Number(request.headers.get('content-length') ?? Infinity) <= MAX_BUFFERED_BYTES;
    const body = isBuffered || hash !== null ? await bodyOf(request, hash) : (request.body ?? '');
    const { result, time } = await timed(bucket.put(key, body, { onlyIf }));
    const answer =
      result === null
        ? errorAnswer(412, 'PreconditionFailed', 'The condition of the write does not hold.')
        : new Response(null, { headers: { etag: result.httpEtag, 'content-length': '0' } });
    return isBuffered ? withTime(answer, time) : answer;
  },
  async GET({ request, bucket, key }) {
    const [, first, last] = RANGE.exec(request.headers.get('range') ?? '')?.map(Number) ?? [];
    const range = first === undefined ? undefined : { offset: first, length: last - first + 1 };
    const startedAt = Date.now();
    const object = await bucket.get(key, range && { range });
    const firstByte = Date.now() - startedAt;
    if (object === null) {
      return withTime(errorAnswer(404, 'NoSuchKey', 'The object does not exist.'), firstByte);
    }
    const length = range === undefined ? object.size : Math.min(range.length, object.size - range.offset);
    const isBuffered = length <= MAX_BUFFERED_BYTES;
    const answer = new Response(isBuffered ? await new Response(object.body).arrayBuffer() : streamOf(object, length), {
      status: range === undefined ? 200 : 206,
      headers: {
        ...OBJECT_HEADERS,
        etag: object.httpEtag,
        ...(range === undefined ? {} : { 'content-range': contentRange(object) }),
      },
    });
    return isBuffered ? withTime(answer, Date.now() - startedAt) : withTime(answer, firstByte, 'r2-first-byte');
  },
  async HEAD({ bucket, key }) {
    const { result, time } = await timed(bucket.head(key));
    const answer =
      result === null
        ? new Response(null, { status: 404 })
        : new Response(null, {
            headers: { ...OBJECT_HEADERS, etag: result.httpEtag, 'content-length': String(result.size) },
          });
    return withTime(answer, time);
  },
  async DELETE({ bucket, key }) {
    const { time } = await timed(bucket.delete(key));
    return withTime(new Response(null, { status: 204 }), time);
  },
};

/** @param {Headers} headers of a write @returns {R2Conditional | undefined} */
function conditionOf(headers) {
  const etag = headers.get('if-match');
  if (etag !== null) {
    return { etagMatches: etag.replaceAll('"', '') };
  }
  return headers.get('if-none-match') === '*' ? { etagDoesNotMatch: '*' } : undefined;
}

/**
 * @template Result
 * @param {Promise<Result>} call of a binding, which has just begun
 * @returns {Promise<{ result: Result, time: number }>} `time` in ms. A Worker's clock advances only while it waits
 */
async function timed(call) {
  const startedAt = Date.now();
  const result = await call;
  return { result, time: Date.now() - startedAt };
}

/**
 * @param {Response} answer
 * @param {number} time ms
 * @param {'r2' | 'r2-first-byte'} [name] what was timed: the whole call, or until its response began
 */
function withTime(answer, time, name = 'r2') {
  answer.headers.set('server-timing', `${name};dur=${time}`);
  return answer;
}

/**
 * @param {R2ObjectBody} object
 * @param {number} length bytes that are read
 */
function streamOf({ body }, length) {
  const { readable, writable } = new FixedLengthStream(length);
  // If the client disconnects, the rest is not read.
  body.pipeTo(writable).catch(() => {});
  return readable;
}

/**
 * @param {Pick<R2Object, 'size' | 'range'>} object read as a range
 * @returns {string} the Content-Range header
 */
function contentRange({ size, range }) {
  const { offset = 0, length = size - offset } = range ?? {};
  return `bytes ${offset}-${offset + length - 1}/${size}`;
}

/** @param {SignedRequest} signed */
async function listObjects({ bucket, query }) {
  const prefix = query.get('prefix') ?? '';
  const startAfter = query.get('start-after') ?? '';
  const limit = Math.min(Number(query.get('max-keys') ?? MAX_KEYS), MAX_KEYS);
  const {
    result: { objects, truncated },
    time,
  } = await timed(bucket.list({ prefix, limit, ...(startAfter === '' ? {} : { startAfter }) }));
  const isEncoded = query.get('encoding-type') === 'url';
  const shown = (/** @type {string} */ text) => (isEncoded ? encodeURIComponent(text) : text);
  const contents = objects.map(
    ({ key, uploaded, httpEtag, size }) =>
      `<Contents><Key>${escaped(shown(key))}</Key><LastModified>${uploaded.toISOString()}</LastModified>` +
      `<ETag>${escaped(httpEtag)}</ETag><Size>${size}</Size></Contents>`,
  );
  const answer = xml(
    200,
    `<ListBucketResult xmlns="${NAMESPACE}"><Prefix>${escaped(shown(prefix))}</Prefix>` +
      `<KeyCount>${objects.length}</KeyCount><MaxKeys>${limit}</MaxKeys><IsTruncated>${truncated}</IsTruncated>` +
      `${isEncoded ? '<EncodingType>url</EncodingType>' : ''}${contents.join('')}</ListBucketResult>`,
  );
  return withTime(answer, time);
}

/** @param {SignedRequest} signed */
async function deleteObjects({ request, hash, bucket }) {
  const document = new TextDecoder().decode(await bodyOf(request, hash, MAX_DOCUMENT_BYTES));
  const keys = Array.from(document.matchAll(NAMED_KEY), ([, key]) => unescaped(key));
  if (keys.length === 0 || keys.length > MAX_KEYS) {
    return errorAnswer(400, 'MalformedXML', `The request must name 1 to ${MAX_KEYS} keys.`);
  }
  const { time } = await timed(bucket.delete(keys));
  const isQuiet = /<Quiet>\s*true\s*<\/Quiet>/.test(document);
  const deleted = isQuiet ? [] : keys.map((key) => `<Deleted><Key>${escaped(key)}</Key></Deleted>`);
  return withTime(xml(200, `<DeleteResult xmlns="${NAMESPACE}">${deleted.join('')}</DeleteResult>`), time);
}

/**
 * @param {Request} request
 * @param {string | null} hash required hash of the body; null if only the transport protects it
 * @param {number} [maxBytes]
 * @returns {Promise<Uint8Array>}
 * @throws {Refusal} if the body has a different hash, or is too large
 */
async function bodyOf(request, hash, maxBytes = Infinity) {
  const parts = [];
  let bytes = 0;
  for await (const part of /** @type {AsyncIterable<Uint8Array>} */ (request.body ?? [])) {
    bytes += part.length;
    if (bytes > maxBytes) {
      throw new Refusal('AccessDenied', `The body is larger than ${maxBytes} bytes.`);
    }
    parts.push(part);
  }
  const body = Buffer.concat(parts);
  if (hash !== null && (await sha256(body)) !== hash) {
    throw new Refusal('AccessDenied', 'The body does not match its signed hash.');
  }
  return body;
}

/**
 * @param {number} status
 * @param {string} code
 * @param {string} message
 */
export function errorAnswer(status, code, message) {
  return xml(status, `<Error><Code>${escaped(code)}</Code><Message>${escaped(message)}</Message></Error>`);
}

/**
 * @param {number} status
 * @param {string} root
 */
function xml(status, root) {
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>\n${root}`, {
    status,
    headers: { 'content-type': 'application/xml', 'cache-control': 'no-store, no-transform' },
  });
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** @param {string} text */
function unescaped(text) {
  return text.replace(/&(?:amp|lt|gt|quot|apos);/g, (entity) => CHARACTERS[entity]);
}
