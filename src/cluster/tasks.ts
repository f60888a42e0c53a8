import type { Lease, Leases } from "../store/lease.ts";
import { taskLease } from "./lease-names.ts";
import type { Membership } from "./membership.ts";

/** Work that only one process of the cluster does at a time: the first process that asks, until that process ends or loses its leases. */
export class Tasks {
  readonly #membership: Membership;
  readonly #leases: Leases;
  readonly #held = new Map<string, { lease: Lease; losses: number }>();

  constructor(membership: Membership, leases: Leases) {
    this.#membership = membership;
    this.#leases = leases;
  }

  /** Whether this process does the work now. Ask before each round. */
  async isMine(name: string): Promise<boolean> {
    const membership = this.#membership;
    const held = this.#held.get(name);
    if (held !== undefined && held.losses === membership.losses) return membership.isSafe();
    this.#held.delete(name);
    const leaseName = taskLease(name);
    const row = membership.reading.leases.find((one) => one.name === leaseName);
    const isTaken = membership.reading.processes.some(({ id, state }) => id === row?.holder && id !== membership.id && state !== "lost");
    if (isTaken || membership.leaving || !membership.mayTake()) return false;
    const { losses } = membership;
    const lease = await this.#leases.take(leaseName);
    if (lease === undefined || losses !== membership.losses) return false;
    this.#held.set(name, { lease, losses });
    return true;
  }

  /** Gives the work back, so that another process may do it. */
  async giveAway(): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const { lease } of held) await this.#leases.release(lease);
  }
}
