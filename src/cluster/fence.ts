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

/** Keeps a process that no longer holds a register from recording an intention for it and from sending anything to it. */
export class Fence {
  readonly #services: FenceServices;

  constructor(services: FenceServices) {
    this.#services = services;
  }

  /** Within the transaction that records an intention: whether the lease stands, and stands until this transaction ends. */
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
   * Returns a function that tells, for work that begins now, whether nothing of the work was kept from sending. When this process raises its
   * counter too late, the links refuse to send. The work then does not stand, even if no other process took the register and the counter was
   * raised again. It does not stand either when the register's agent has moved to another process, because only that process reaches the register.
   * Undefined: this process does not hold the register.
   */
  standing(register: string): (() => boolean) | undefined {
    const { membership, holdings } = this.#services;
    const holding = holdings.until(register);
    if (holding === undefined) return undefined;
    const { refusals } = holding;
    return () => holding.stands && membership.isSafe() && holding.refusals === refusals && !holdings.mustGo(register);
  }

  /**
   * Returns a function that tells whether the document may be registered, for the holding under which the work has begun. The function
   * reads the token anew, because the monotonic clock of a stopped virtual machine stands still too.
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
   * Returns the token of the present holding, and the function that a link calls right before each write. Both belong to this holding for
   * ever, also when a later holding begins.
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
