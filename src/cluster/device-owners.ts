import type { Store } from "../store/database.ts";
import type { Lease, Leases } from "../store/lease.ts";
import { deviceLease } from "./lease-names.ts";
import type { Membership } from "./membership.ts";
import { type Reading, wantLease } from "./queries.ts";

/**
 * The leases of the devices that this process uses, so that no two processes use one device. `device` names a device by its serial number
 * and drive number.
 */
export class DeviceOwners {
  readonly #membership: Membership;
  readonly #store: Pick<Store, "commit">;
  readonly #leases: Leases;
  readonly #held = new Map<string, { lease: Lease; losses: number }>();

  constructor(store: Pick<Store, "commit">, membership: Membership, leases: Leases) {
    this.#store = store;
    this.#membership = membership;
    this.#leases = leases;
  }

  /** Takes the lease of a device, unless this process has it already. False: this process may not use the device now. Safe to repeat. */
  async claim(device: string): Promise<boolean> {
    const membership = this.#membership;
    if (this.#held.get(device)?.losses === membership.losses) return true;
    const { losses } = membership;
    const lease = await this.#leases.take(deviceLease(device));
    if (lease === undefined) {
      // The row tells the owner of the lease that this process wants the device. The owner releases the device when it was unused for a
      // while.
      await this.#store.commit((tx) => wantLease(tx, deviceLease(device), membership.id));
      return false;
    }
    if (losses !== membership.losses) return false;
    this.#held.set(device, { lease, losses });
    return true;
  }

  /** Returns the devices of this process that another process wants. */
  wantedElsewhere({ leases }: Reading): string[] {
    const wanted = new Set(leases.filter((row) => row.wanted !== null && row.wanted !== this.#membership.id).map(({ name }) => name));
    return [...this.#held.keys()].filter((device) => wanted.has(deviceLease(device)));
  }

  /** Gives the lease of the device back, if this process has it. */
  async release(device: string): Promise<void> {
    const held = this.#held.get(device);
    this.#held.delete(device);
    if (held !== undefined) await this.#leases.release(held.lease);
  }
}
