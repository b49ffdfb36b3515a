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
