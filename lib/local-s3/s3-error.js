import { escapeXml, xmlDocument } from './xml.js';

/** HTTP statuses of the error codes that the endpoint uses, from S3's list of error codes. */
const STATUS_OF = Object.freeze({
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  BadDigest: 400,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  ExpiredToken: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MalformedXML: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  XAmzContentSHA256Mismatch: 400,
});

export class S3Error extends Error {
  /**
   * @param {keyof typeof STATUS_OF} code
   * @param {string} message one sentence for the user
   * @param {string} [region] the region that the request should have been signed for
   */
  constructor(code, message, region = '') {
    super(message);
    this.name = 'S3Error';
    this.code = code;
    this.region = region;
    this.status = STATUS_OF[code];
  }
}

/**
 * @param {{ code: string, message: string, region?: string }} error
 * @param {string} resource the path of the request
 */
export function errorDocument({ code, message, region = '' }, resource) {
  return xmlDocument(
    `<Error><Code>${escapeXml(code)}</Code><Message>${escapeXml(message)}</Message>` +
      `<Resource>${escapeXml(resource)}</Resource>${region === '' ? '' : `<Region>${escapeXml(region)}</Region>`}</Error>`,
  );
}
