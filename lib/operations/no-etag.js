/** Recorded instead of an ETag's digest if the response to a write had no ETag. */
export const NO_ETAG = 1;
