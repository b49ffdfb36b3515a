import type { Credentials } from './sigv4.js';

/** The store that a run goes to. */
export interface StoreConfig {
  buckets: readonly string[];
  hostname: string;
  port: number;
  useTls: boolean;
  region: string;
  credentials: Credentials;
  /** whether it is our own endpoint on this host: it has the same clock, and ends with the run */
  isEmbedded?: boolean;
}
