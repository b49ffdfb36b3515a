/** @import { TestEndpoint } from './local-s3.js' */

/** The requests that an endpoint got, in the classes that R2 bills. @param {TestEndpoint} endpoint */
export async function billedRequests(endpoint) {
  const { requests } = await endpoint.report();
  const sum = (/** @type {readonly (keyof typeof requests)[]} */ operations) =>
    operations.reduce((total, operation) => total + requests[operation].total, 0);
  return {
    A: sum(['PUT', 'LIST', 'CREATE', 'PART', 'COMPLETE', 'UPLOADS', 'OTHER']),
    B: sum(['GET', 'HEAD', 'BUCKET']),
    free: sum(['DELETE', 'POST', 'ABORT']),
  };
}
