/** Where one kind of telemetry goes by OTLP over HTTP, in JSON. */
export interface OtlpTarget {
  url: URL;
  isTls: boolean;
  /** lower-case names; their values may be secret */
  headers: Readonly<Record<string, string>>;
  /** ms for a request */
  timeout: number;
  /** whether requests are compressed by gzip */
  compresses: boolean;
  /** as PEM: the authorities to trust, in place of those that the system trusts */
  certificate?: Buffer;
  clientCertificate?: Buffer;
  clientKey?: Buffer;
}

/** What the options and variables of OTLP say. */
export interface OtlpSettings {
  /** null where they are not wanted */
  metrics: OtlpTarget | null;
  /** likewise */
  traces: OtlpTarget | null;
  /** ms from one export of the metrics to the next */
  interval: number;
  /** of the resource, in place of our own */
  resource: Readonly<Record<string, string>>;
}
