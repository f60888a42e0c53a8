/** The largest number of connections whose agent has not proved its key. A thousand agents may come back at the same moment. */
const MAX_STRANGERS = 1_024;

/**
 * Connections whose agent has not proved its key, with the network of each caller (`source`). Over the limit, the source with the most
 * connections loses its oldest connection. So callers from other sources can still connect.
 */
export class Strangers<Connection> {
  readonly #bySource = new Map<string, Set<Connection>>();
  readonly #sources = new Map<Connection, string>();
  readonly #giveUp: (oldest: Connection) => void;

  /** `giveUp` ends a connection, and may call `delete`. */
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
