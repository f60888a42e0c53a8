import type { Clock } from "../kernel/clock.ts";
import type { RegisterIdentity } from "../model/facts.ts";
import type { FolderLock } from "./folder-lock.ts";
import { takeLock } from "./links/locked.ts";
import type { RegisterServices } from "./protocol.ts";

/** Claims devices against processes of other machines, by serial number and drive number. */
export interface DeviceOwners {
  /** False: another process uses the device. Safe to repeat. */
  claim(device: string): Promise<boolean>;
  release(device: string): Promise<void>;
}

/** The lane that uses a device at one of its addresses. */
export interface Claimant {
  address: string;
  /** Another program drives the device and locks it on its own machine. */
  drivenElsewhere: boolean;
  /** When the device last answered, on the monotonic clock; `now` while a call runs. */
  usedAtMs(): number | "now";
}

/**
 * Gives each device to one lane. When two addresses lead to one device, the device belongs to the first address that
 * has reached it. Otherwise two lanes would use one device. Each lane would get answers to questions of the other lane
 * and change its receipts (interface 6, One server a folder). A device is identified by its serial number and drive.
 * The claim is also a lock on this machine against other processes, which may write the address differently. An address
 * that has not been used for a while loses its device, because the operator may have changed the address.
 */
export class DeviceClaims {
  readonly #services: ClaimServices;
  readonly #claims = new Map<string, Claim>();

  constructor(services: ClaimServices) {
    this.#services = services;
  }

  /**
   * Returns the reason why the claimant must not use the device, in words for the operator. Undefined: the device is the
   * claimant's.
   */
  async claim(claimant: Claimant, { serialNumber, driveNumber }: RegisterIdentity): Promise<string | undefined> {
    const { clock, note } = this.#services;
    const key = `${serialNumber}/${driveNumber}`;
    const claim = this.#claims.get(key);
    if (claim !== undefined && claim.owner !== claimant && isInUse(claim.owner, clock)) {
      note("warn", "two addresses lead to one register", {
        address: claimant.address,
        first: claim.owner.address,
        serialNumber,
        driveNumber,
      });
      return wordsOf(claimant.address, claim.owner.address, serialNumber);
    }
    if (claim !== undefined && claim.owner.drivenElsewhere === claimant.drivenElsewhere) {
      claim.owner = claimant;
      await this.#giveBackOthers(claimant, key);
      return (await claim.locked).reason ?? (await this.#ownedElsewhere(key));
    }
    // The claim is stored before the first await, so a claim by another address finds it.
    const made: Claim = { owner: claimant, locked: this.#lockAfter(claim, key, claimant) };
    this.#claims.set(key, made);
    await this.#giveBackOthers(claimant, key);
    const { reason } = await made.locked;
    if (reason !== undefined) this.#claims.delete(key);
    return reason;
  }

  async close(): Promise<void> {
    await this.#giveBack([...this.#claims]);
  }

  /** Gives back the devices of a lane that ends here. */
  async release(claimant: Claimant): Promise<void> {
    await this.#giveBack([...this.#claims].filter(([, { owner }]) => owner === claimant));
  }

  /** Gives back a device that its lane has not used for a while, because another process reaches it at another address. */
  async letGo(device: string): Promise<void> {
    const claim = this.#claims.get(device);
    if (claim !== undefined && !isInUse(claim.owner, this.#services.clock)) await this.#giveBack([[device, claim]]);
  }

  /** The claim in the database may have been lost, so it is made again at each use. */
  async #ownedElsewhere(key: string): Promise<string | undefined> {
    const { owners } = this.#services;
    return owners === undefined || (await owners.claim(key)) ? undefined : OWNED_ELSEWHERE;
  }

  /** A device that another program drives is locked by that program, perhaps on this machine. */
  async #lockAfter(before: Claim | undefined, key: string, { address, drivenElsewhere }: Claimant): Promise<Locked> {
    await (await before?.locked)?.lock?.release();
    const { clock, note, owners } = this.#services;
    if (owners !== undefined) {
      const reason = await this.#ownedElsewhere(key);
      if (reason !== undefined) note("warn", "another process uses the device", { address, device: key });
      return reason === undefined ? {} : { reason };
    }
    if (drivenElsewhere) return {};
    const taken = await takeLock({ clock, name: `device ${key}`, note }, { address });
    if (taken.kind === "taken") return { reason: taken.reason };
    return taken.kind === "held" ? { lock: taken.lock } : {};
  }

  /** Releases the devices that this address had before it reached the device of this key. */
  #giveBackOthers(claimant: Claimant, key: string): Promise<void> {
    return this.#giveBack([...this.#claims].filter(([other, { owner }]) => other !== key && owner === claimant));
  }

  async #giveBack(claims: [string, Claim][]): Promise<void> {
    // All claims end before the first await. Otherwise a claim that another address takes over meanwhile would end as well.
    for (const [key] of claims) this.#claims.delete(key);
    for (const [key, { locked }] of claims) {
      await (await locked).lock?.release();
      await this.#services.owners?.release(key);
    }
  }
}

type ClaimServices = Pick<RegisterServices, "clock" | "note"> & { owners?: DeviceOwners };

const OWNED_ELSEWHERE = "кассой уже управляет другой сервер по другому адресу";

interface Claim {
  owner: Claimant;
  locked: Promise<Locked>;
}

interface Locked {
  lock?: FolderLock;
  /** Another process uses the device. `reason` names the process. */
  reason?: string;
}

/**
 * After this time without use the address loses its device. The time is longer than any pause between an inspection, its
 * document, and the questions after a doubt.
 */
const UNUSED_MS = 180_000;

function isInUse(owner: Claimant, clock: Clock): boolean {
  const usedAtMs = owner.usedAtMs();
  return usedAtMs === "now" || clock.monotonicMs() - usedAtMs < UNUSED_MS;
}

function wordsOf(address: string, first: string, serialNumber: string): string {
  return `адрес ${address} ведёт к кассе № ${serialNumber}, с которой сервер уже работает по адресу ${first}; укажите в настройке register всех её точек продаж один и тот же адрес`;
}
