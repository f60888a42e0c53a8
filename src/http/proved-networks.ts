/** The number of networks that are remembered. The platform and its proxies have far fewer. Each takes about a hundred bytes. */
const MAX_NETWORKS = 1_000;

/**
 * The networks whose callers have proved a request lately. When places are short, other networks lose their places first. So strangers who
 * call from hundreds of networks take no place from the platform, which calls from few networks.
 */
export class ProvedNetworks {
  /** The network whose last proof is oldest comes first. */
  readonly #networks = new Set<string>();
  #newest: string | undefined;

  /** Notes that a caller of this network has proved a request. */
  note(network: string): void {
    if (network === this.#newest) return;
    this.#newest = network;
    this.#networks.delete(network);
    this.#networks.add(network);
    if (this.#networks.size <= MAX_NETWORKS) return;
    const [oldest = ""] = this.#networks;
    this.#networks.delete(oldest);
  }

  has(network: string): boolean {
    return this.#networks.has(network);
  }
}
