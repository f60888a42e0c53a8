import type { Clock } from "../kernel/clock.ts";
import type { RegisterIdentity } from "../model/facts.ts";
import type { FolderLock } from "./folder-lock.ts";
import { takeLock } from "./links/locked.ts";
import type { RegisterServices } from "./protocol.ts";

/** Who speaks to a device at one of its addresses. */
export interface Claimant {
  address: string;
  /** When its device last answered it, on the monotonic clock; `now` while it is at work. */
  usedAtMs(): number | "now";
}

/**
 * One device, one lane: a device that two addresses lead to belongs to the first of them that has reached it, since
 * two lanes at one device take each other's positions, receipts and answers (interface 6, One server a folder). It is
 * known by serial number and drive; the claim is a lock of this machine too, so that another process with another
 * spelling of the address is kept off as well. An address that nobody has used for a while gives its device up: the
 * operator may have written it differently.
 */
export class DeviceClaims {
  readonly #services: Pick<RegisterServices, "clock" | "note">;
  readonly #claims = new Map<string, Claim>();

  constructor(services: Pick<RegisterServices, "clock" | "note">) {
    this.#services = services;
  }

  /** Why the claimant must not speak to the device, in the operator's words; undefined: the device is its own. */
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
    if (claim !== undefined) {
      claim.owner = claimant;
      return (await claim.locked).reason;
    }
    // Nobody comes between: another claim waits for this one's lock.
    const made: Claim = { owner: claimant, locked: this.#lock(key, claimant.address) };
    this.#claims.set(key, made);
    await this.#giveBack([...this.#claims].filter(([other, { owner }]) => other !== key && owner === claimant));
    const { reason } = await made.locked;
    if (reason !== undefined) this.#claims.delete(key);
    return reason;
  }

  async close(): Promise<void> {
    await this.#giveBack([...this.#claims]);
  }

  async #lock(key: string, address: string): Promise<Locked> {
    const { clock, note } = this.#services;
    const taken = await takeLock({ clock, name: `device ${key}`, note }, { address });
    if (taken.kind === "taken") return { reason: taken.reason };
    return taken.kind === "held" ? { lock: taken.lock } : {};
  }

  /** The devices that were there before another one came to the same address. */
  async #giveBack(claims: [string, Claim][]): Promise<void> {
    for (const [key, { locked }] of claims) {
      this.#claims.delete(key);
      await (await locked).lock?.release();
    }
  }
}

interface Claim {
  owner: Claimant;
  locked: Promise<Locked>;
}

interface Locked {
  lock?: FolderLock;
  /** Another process has the device. */
  reason?: string;
}

/** Longer than any pause between the look at a register, its document, and the questions after a doubt. */
const UNUSED_MS = 180_000;

function isInUse(owner: Claimant, clock: Clock): boolean {
  const usedAtMs = owner.usedAtMs();
  return usedAtMs === "now" || clock.monotonicMs() - usedAtMs < UNUSED_MS;
}

function wordsOf(address: string, first: string, serialNumber: string): string {
  return `адрес ${address} ведёт к кассе № ${serialNumber}, с которой сервер уже работает по адресу ${first}; укажите в настройке register всех её точек продаж один и тот же адрес`;
}
