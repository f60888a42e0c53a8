import type { Clock } from "../kernel/clock.ts";
import type { RegisterIdentity } from "../model/facts.ts";
import type { FolderLock } from "./folder-lock.ts";
import { takeLock } from "./links/locked.ts";
import type { RegisterServices } from "./protocol.ts";

/** Claims devices across machines. `device`: `SERIAL/DRIVE`, the serial number and the drive number. */
export interface DeviceOwners {
  /** True: this process may use the device. False: it may not use the device now. Safe to repeat. */
  claim(device: string): Promise<boolean>;
  release(device: string): Promise<void>;
}

/** A lane that uses a device at one address. */
export interface Claimant {
  address: string;
  /** Another program drives the device and locks it on its own machine. */
  drivenElsewhere: boolean;
  /** When the device last answered, on the monotonic clock; `now` while a call runs. */
  usedAtMs(): number | "now";
}

/**
 * Assigns each device to one lane. When two addresses lead to one device, the first address that reached it keeps the device. Otherwise two
 * lanes would get each other's answers and change each other's receipts (interface 6, One server a folder).
 * Serial number and drive number identify a device. Another process may write the address differently. So `claim` also claims the device
 * through `owners`. Without `owners` it locks the device on this machine, unless another program drives the device. After `UNUSED_MS`
 * without use another address can take the device over, because the operator may have changed the address.
 */
export class DeviceClaims {
  readonly #services: ClaimServices;
  readonly #claims = new Map<string, Claim>();

  constructor(services: ClaimServices) {
    this.#services = services;
  }

  /**
   * Claims the device. Returns why the claimant must not use it, in words for the operator. Undefined: the claim succeeded. Rejects when
   * `owners` does. The next call then claims the device anew.
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
    // The claim is stored before the first await, so that a parallel call finds it.
    const made: Claim = { owner: claimant, locked: this.#lockAfter(claim, key, claimant) };
    this.#claims.set(key, made);
    const [locked, others] = await Promise.allSettled([made.locked, this.#giveBackOthers(claimant, key)]);
    // A claim that failed or was refused is forgotten. Otherwise every later claim of the device would end as this claim did.
    const holds = locked.status === "fulfilled" && locked.value.reason === undefined;
    if (!holds && this.#claims.get(key) === made) this.#claims.delete(key);
    if (locked.status === "rejected") throw locked.reason;
    if (others.status === "rejected") throw others.reason;
    return locked.value.reason;
  }

  async close(): Promise<void> {
    await this.#giveBack([...this.#claims]);
  }

  /** Releases the devices of a lane that ends in this process. */
  async release(claimant: Claimant): Promise<void> {
    await this.#giveBack([...this.#claims].filter(([, { owner }]) => owner === claimant));
  }

  /**
   * Called when another process wants the device. Releases the device if the lane of this process that has it has not used it for
   * `UNUSED_MS`.
   */
  async letGo(device: string): Promise<void> {
    const claim = this.#claims.get(device);
    if (claim !== undefined && !isInUse(claim.owner, this.#services.clock)) await this.#giveBack([[device, claim]]);
  }

  /**
   * Claims the device through `owners` at each call of `claim`, because the claim there may have been lost. Returns why the device must not
   * be used. Undefined: it may be used, or there are no `owners`.
   */
  async #ownedElsewhere(key: string): Promise<string | undefined> {
    const { owners } = this.#services;
    return owners === undefined || (await owners.claim(key)) ? undefined : OWNED_ELSEWHERE;
  }

  /**
   * Releases the lock of an earlier claim, then claims the device through `owners`. Without `owners` it locks the device on this machine. A
   * device that another program drives gets no lock, because that program locks the device itself, perhaps on this machine.
   */
  async #lockAfter(before: Claim | undefined, key: string, { address, drivenElsewhere }: Claimant): Promise<Locked> {
    if (before !== undefined) await unlock(before);
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

  /** Releases the claimant's devices except the device of this key. */
  #giveBackOthers(claimant: Claimant, key: string): Promise<void> {
    return this.#giveBack([...this.#claims].filter(([other, { owner }]) => other !== key && owner === claimant));
  }

  /** Releases the devices of all these claims, also when the release of one of them fails. Then it rejects with the first error. */
  async #giveBack(claims: [string, Claim][]): Promise<void> {
    // All claims are deleted before the first await. Otherwise a claim that another address makes meanwhile would be deleted too.
    for (const [key] of claims) this.#claims.delete(key);
    const ends = await Promise.allSettled(
      claims.map(async ([key, claim]) => {
        await unlock(claim);
        await this.#services.owners?.release(key);
      }),
    );
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }
}

/** Releases the lock of a claim. A claim that has failed has no lock, and its own caller gets its error. */
async function unlock({ locked }: Claim): Promise<void> {
  const [end] = await Promise.allSettled([locked]);
  if (end.status === "fulfilled") await end.value.lock?.release();
}

type ClaimServices = Pick<RegisterServices, "clock" | "note"> & { owners?: DeviceOwners };

const OWNED_ELSEWHERE = "кассой уже управляет другой сервер по другому адресу";

interface Claim {
  owner: Claimant;
  locked: Promise<Locked>;
}

interface Locked {
  lock?: FolderLock;
  /** Another process uses the device. The text is for the operator. */
  reason?: string;
}

/**
 * An address that has not used its device for this time can lose the device. The time is longer than every pause between an inspection, the
 * document after it, and the questions after a doubt.
 */
const UNUSED_MS = 180_000;

function isInUse(owner: Claimant, clock: Clock): boolean {
  const usedAtMs = owner.usedAtMs();
  return usedAtMs === "now" || clock.monotonicMs() - usedAtMs < UNUSED_MS;
}

function wordsOf(address: string, first: string, serialNumber: string): string {
  return `адрес ${address} ведёт к кассе № ${serialNumber}, с которой сервер уже работает по адресу ${first}; укажите в настройке register всех её точек продаж один и тот же адрес`;
}
