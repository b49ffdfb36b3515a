/** Replaces the digest of an ETag if the store's response to a write had no ETag. */
export const NO_ETAG = 1;
