/** The first answer to a request with an idempotency key. */
export interface KeptAnswer {
  readonly key: string;
  /** The digest of the request's method, path and body. */
  readonly content: string;
  readonly atMs: number;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}
