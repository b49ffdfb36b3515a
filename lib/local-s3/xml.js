import { readXml } from '../text/xml.js';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMES = new Map(Object.entries({ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }));
const SPECIAL = /[&<>"']|\p{Cc}/gu;

/**
 * Keys can contain control characters. Like S3, this function writes them as numeric references, although XML 1.0
 * forbids most of them.
 *
 * @param {string} text
 */
function escapeXml(text) {
  return text.replace(SPECIAL, (character) => `&${NAMES.get(character) ?? `#${character.charCodeAt(0)}`};`);
}

/**
 * @param {Record<string, string | number | boolean | undefined>} values
 * @returns {string} an element for each value that is defined
 */
export function elements(values) {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : `<${name}>${escapeXml(String(value))}</${name}>`))
    .join('');
}

/**
 * @param {string} root name of the root element
 * @param {string} content XML
 */
export function xmlResult(root, content) {
  return resultOf(200, `${DECLARATION}<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${root}>`);
}

/**
 * @param {{ status: number, code: string, message: string, region?: string }} error
 * @param {string} resource the path of the request
 */
export function errorResult({ status, code, message, region }, resource) {
  const parts = elements({ Code: code, Message: message, Resource: resource, Region: region });
  return resultOf(status, `${DECLARATION}<Error>${parts}</Error>`);
}

/**
 * @param {number} status
 * @param {string} document
 */
function resultOf(status, document) {
  const body = Buffer.from(document, 'utf8');
  return { status, headers: ['Content-Type', 'application/xml', 'Content-Length', body.length], body };
}

/**
 * @param {Buffer} body of a request
 * @param {string} root its expected root element
 * @param {string} item
 * @returns the root element, and its elements of that name
 * @throws {S3Error} MalformedXML if the document is something else or has no such element
 */
export function itemsIn(body, root, item) {
  const document = readXml(body.toString('utf8'));
  const items = document.root.all(item);
  if (!document.isWhole || items.length === 0 || document.root.name !== root) {
    throw malformed(item);
  }
  return { root: document.root, items };
}

/** @param {string} item */
export function malformed(item) {
  return new S3Error('MalformedXML', `The XML you provided was not well-formed or has no valid ${item}.`);
}

/** HTTP statuses of S3's error codes; those of all others are 400. */
const STATUS_OF = /** @type {Readonly<Record<string, number>>} */ (
  Object.freeze({
    AccessDenied: 403,
    InvalidAccessKeyId: 403,
    InvalidRange: 416,
    MissingContentLength: 411,
    NoSuchBucket: 404,
    NoSuchKey: 404,
    NoSuchUpload: 404,
    NotImplemented: 501,
    PreconditionFailed: 412,
    RequestTimeTooSkewed: 403,
    SignatureDoesNotMatch: 403,
  })
);

export class S3Error extends Error {
  /**
   * @param {string} code of S3's list of error codes
   * @param {string} message one sentence for the user
   * @param {string} [region] the region that the request should have been signed for
   */
  constructor(code, message, region) {
    super(message);
    this.name = 'S3Error';
    this.code = code;
    this.region = region;
    this.status = STATUS_OF[code] ?? 400;
  }
}
