/** Stands for the digest of an ETag where the store's answer to a write named none. */
export const NO_ETAG = 1;
