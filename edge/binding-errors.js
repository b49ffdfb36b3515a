/** The codes that end R2's error messages: https://developers.cloudflare.com/r2/api/error-codes/ */
const ERRORS = new Map(
  /** @type {[number, [code: string, status: number]][]} */ ([
    [10001, ['InternalError', 500]],
    [10002, ['Unauthorized', 401]],
    [10003, ['AccessDenied', 403]],
    [10006, ['NoSuchBucket', 404]],
    [10007, ['NoSuchKey', 404]],
    [10012, ['MetadataTooLarge', 400]],
    [10013, ['IncompleteBody', 400]],
    [10020, ['InvalidObjectName', 400]],
    [10031, ['PreconditionFailed', 412]],
    [10037, ['BadDigest', 400]],
    [10039, ['InvalidRange', 416]],
    [10042, ['NotEntitled', 403]],
    [10043, ['ServiceUnavailable', 503]],
    [10054, ['ClientDisconnect', 400]],
    [10058, ['TooManyRequests', 429]],
    [10069, ['ObjectLockedByBucketPolicy', 403]],
    [100100, ['EntityTooLarge', 400]],
  ]),
);

const CODE_AT_END = /\s*\((\d{5,6})\)\s*$/;

/**
 * @param {unknown} error thrown by a binding
 * @returns {{ status: number, code: string, message: string }} the S3 API's equivalent; an internal error for unknown codes
 */
export function explainBindingError(error) {
  const text = error instanceof Error ? error.message : String(error);
  const [code, status] = ERRORS.get(Number(CODE_AT_END.exec(text)?.[1])) ?? ['InternalError', 500];
  return { status, code, message: text };
}
