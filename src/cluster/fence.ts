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
   * Returns the question whether work that begins now was never kept from sending. When the counter was raised too late, the links have refused
   * to send, also when no other process took the register and the counter was raised meanwhile. When its agent has moved to another process,
   * only that process reaches the register. Undefined: the register is not held.
   */
  standing(register: string): (() => boolean) | undefined {
    const { membership, holdings } = this.#services;
    const holding = holdings.until(register);
    if (holding === undefined) return undefined;
    const { refusals } = holding;
    return () => holding.stands && membership.isSafe() && holding.refusals === refusals && !holdings.mustGo(register);
  }

  /**
   * Returns the question whether the document may be registered, for the holding under which the work has begun. It reads the token anew,
   * because the monotonic clock of a stopped virtual machine stands still too.
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
   * Returns the token of the present holding and the question that a link asks right before each write. Both belong to this holding for ever,
   * also when a later holding begins.
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
