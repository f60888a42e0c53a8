import type { Lease, Leases } from "../store/lease.ts";
import { deviceLease } from "./lease-names.ts";
import type { Membership } from "./membership.ts";

/**
 * The devices that this process uses, by serial number and drive number. So two processes that reach one device at two addresses never use
 * it both.
 */
export class DeviceOwners {
  readonly #membership: Membership;
  readonly #leases: Leases;
  readonly #held = new Map<string, { lease: Lease; losses: number }>();

  constructor(membership: Membership, leases: Leases) {
    this.#membership = membership;
    this.#leases = leases;
  }

  /** False: another process uses the device. Safe to repeat. */
  async claim(device: string): Promise<boolean> {
    const membership = this.#membership;
    if (this.#held.get(device)?.losses === membership.losses) return true;
    const { losses } = membership;
    const lease = await this.#leases.take(deviceLease(device));
    if (lease === undefined || losses !== membership.losses) return false;
    this.#held.set(device, { lease, losses });
    return true;
  }

  async release(device: string): Promise<void> {
    const held = this.#held.get(device);
    this.#held.delete(device);
    if (held !== undefined) await this.#leases.release(held.lease);
  }
}
