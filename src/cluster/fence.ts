import type { Store } from "../store/database.ts";
import type { Holding, Holdings } from "./holdings.ts";
import { registerLease } from "./lease-names.ts";
import type { Membership } from "./membership.ts";
import { lockStanding, readStanding, type Tx } from "./queries.ts";
import type { ClusterObserver } from "./services.ts";

interface FenceServices {
  store: Pick<Store, "read">;
  membership: Membership;
  holdings: Holdings;
  observe: ClusterObserver;
}

/** Stops a process without the register's lease from recording an intention or sending anything for the register. */
export class Fence {
  readonly #services: FenceServices;

  constructor(services: FenceServices) {
    this.#services = services;
  }

  /** Call it in the transaction that records an intention. True: the lease is valid until this transaction ends. */
  async holds(tx: Tx, register: string): Promise<boolean> {
    const { membership, holdings, observe } = this.#services;
    const holding = holdings.until(register);
    if (holding !== undefined) {
      const found = await lockStanding(tx, { name: registerLease(register), holder: membership.id, token: holding.lease.token });
      if (found !== undefined && membership.isSameDatabase(found)) return true;
    }
    observe.fenced("journal");
    return false;
  }

  /**
   * Call this method when work begins. Call the returned function when the work has ended, to learn whether the work's result is valid.
   * Undefined: this process does not hold the register.
   *
   * The result is invalid in each of these cases:
   *
   * - At the end this process has lost the register, or cannot be sure of its lease.
   * - During the work this process refused to send or to register something, because it could not be sure of its lease. A later renewal
   * does not make the result valid.
   * - The register must move to another process, because its agent is connected there. Only that process reaches the register.
   */
  standing(register: string): (() => boolean) | undefined {
    const { membership, holdings } = this.#services;
    const holding = holdings.until(register);
    if (holding === undefined) return undefined;
    const { refusals } = holding;
    return () => holding.stands && membership.isSafe() && holding.refusals === refusals && !holdings.mustGo(register);
  }

  /**
   * Returns a function that checks whether the document may be registered under the holding that exists now. The function reads the token
   * from the database, because a stopped virtual machine also stops the monotonic clock.
   */
  permission(register: string): () => Promise<boolean> {
    const { store, membership, holdings, observe } = this.#services;
    const holding = holdings.until(register);
    return async () => {
      if (holding?.stands === true && membership.isSafe()) {
        const standing = { name: registerLease(register), holder: membership.id, token: holding.lease.token };
        const found = await store.read((db) => readStanding(db, standing));
        if (found.stands && membership.isSameDatabase(found)) return true;
      }
      if (holding !== undefined) holding.refusals += 1;
      observe.fenced("register");
      return false;
    };
  }

  /**
   * Returns the token of the holding that exists now, and the check before each write of a link. Both stay bound to this holding, even when
   * a later holding begins. Without a holding the token is 0 and the check refuses.
   */
  sending(register: string): { token: number; maySend: () => boolean } {
    const holding = this.#services.holdings.until(register);
    return { token: holding?.lease.token ?? 0, maySend: () => this.#maySend(holding) };
  }

  #maySend(holding: Holding | undefined): boolean {
    const { membership, observe } = this.#services;
    if (holding?.stands === true && membership.isSafe()) return true;
    if (holding !== undefined) holding.refusals += 1;
    observe.fenced("link");
    return false;
  }
}
