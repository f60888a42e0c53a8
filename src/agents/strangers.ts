/** The largest number of connections whose hello has not been proved. There is room for a thousand agents that come back at once. */
const MAX_STRANGERS = 1_024;

/**
 * Connections of callers without a proof. When there are too many, the source with the most of them loses its oldest one, so that a caller
 * from another source still gets in.
 */
export class Strangers<Connection> {
  readonly #bySource = new Map<string, Set<Connection>>();
  readonly #sources = new Map<Connection, string>();
  readonly #giveUp: (oldest: Connection) => void;

  /** `giveUp` ends a connection. It may call `delete`. */
  constructor(giveUp: (oldest: Connection) => void) {
    this.#giveUp = giveUp;
  }

  add(connection: Connection, source: string): void {
    const ofSource = this.#bySource.get(source) ?? new Set();
    ofSource.add(connection);
    this.#bySource.set(source, ofSource);
    this.#sources.set(connection, source);
    if (this.#sources.size <= MAX_STRANGERS) return;
    const most = [...this.#bySource.values()].reduce((one, other) => (other.size > one.size ? other : one));
    const [oldest] = most;
    if (oldest === undefined) return;
    this.delete(oldest);
    this.#giveUp(oldest);
  }

  delete(connection: Connection): void {
    const source = this.#sources.get(connection);
    if (source === undefined) return;
    this.#sources.delete(connection);
    const ofSource = this.#bySource.get(source);
    ofSource?.delete(connection);
    if (ofSource?.size === 0) this.#bySource.delete(source);
  }
}
