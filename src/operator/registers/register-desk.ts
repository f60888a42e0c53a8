import type { Entry } from "../../journal/entry.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import type { WallTime } from "../../kernel/moment.ts";
import { PerKeyWork } from "../../kernel/per-key-work.ts";
import { present } from "../../kernel/present.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import type { Lanes } from "../../operations/lanes.ts";
import { type PointOfSale, placeOf, registerNow } from "../../operations/plan.ts";
import type { OperationServices } from "../../operations/services.ts";
import type { Register, RegisterState } from "../../registers/register.ts";

/** The last answers of a register, and when they came. */
export interface SeenAnswers {
  address: string;
  emulated: boolean;
  identity?: { value: RegisterIdentity; atMs: number };
  state?: { value: RegisterState; atMs: number };
  clock?: { device: WallTime; ours: WallTime; zoneKnown: boolean; last?: WallTime; atMs: number };
  /** Set while the last question got no answer. */
  unreachable?: { reason: string; atMs: number };
}

/** What is known of the register of a point of sale without asking it. */
export type Standing =
  | { kind: "none" }
  | {
      kind: "register";
      /** The canonical address, without passwords. */
      address: string;
      /** Absent: it was not asked since the server's start. */
      seen?: SeenAnswers;
      /** Operations that wait for their turn. */
      waiting: number;
      /** The oldest operation whose end is unknown: nothing else is registered before it is settled. */
      doubt?: Entry;
    };

export type TriedAddress =
  | { kind: "answers"; address: string; identity: RegisterIdentity; state: RegisterState }
  | { kind: "invalid"; problem: string }
  | { kind: "unreachable"; reason: string }
  /** So many operations wait for this register that no question is let in. */
  | { kind: "busy" };

interface DeskServices extends OperationServices {
  /** The last answers of the registers in use. */
  seen(): readonly SeenAnswers[];
  /** Asks a register at an address that may never be used again. */
  visit<T>(address: string, zone: string, ask: (register: Register) => Promise<T>): Promise<T>;
}

/** A state is read again when it is older, for whoever watches. Half a second keeps what is shown within a second of the change. */
const FRESH_MS = 500;
/** A register that does not answer is asked as rarely as the recovery asks it, so that a hanging one is free for a sale. */
const SILENT_MS = 2_000;
/** Reading takes milliseconds. Sales wait for a question that is at the register, so the question is short. */
const LOOK_LIMIT_MS = 2_000;
/** A device on another network answers within a second, or after its line was opened anew. */
const TRY_LIMIT_MS = 8_000;

/** The questions of whoever watches registers or sets them up, each in the register's lane. None of them registers anything. */
export class RegisterDesk {
  readonly #services: DeskServices;
  readonly #lanes: Lanes;
  readonly #looks = new PerKeyWork<void>();

  constructor(services: DeskServices, lanes: Lanes) {
    this.#services = services;
    this.#lanes = lanes;
  }

  /** What is known of the register of a point of sale. Asks no device. */
  async standing(point: PointOfSale): Promise<Standing> {
    const address = await registerNow(this.#services, point);
    if (address === undefined) return { kind: "none" };
    const doubt = (await this.#services.journal.unfinishedOn(address)).find(({ state }) => state === "in-doubt");
    const waiting = this.#lanes.depths().find(({ register }) => register === address)?.waiting ?? 0;
    return {
      kind: "register",
      address,
      waiting,
      ...present({ seen: this.#seen(address), doubt }),
    };
  }

  /**
   * Has the register looked at where its last answer is old, once for all who watch it. Resolves when it has answered, or when
   * there is nothing to ask. A register that works is not asked: its operation brings the newest state.
   */
  async look(point: PointOfSale): Promise<void> {
    const placed = await placeOf(this.#services, point);
    if (placed === undefined || this.#isFresh(placed.lane)) return;
    const { lane, device } = placed;
    const running = this.#looks.has(lane);
    if (!running && this.#lanes.isBusy(lane)) return;
    await this.#looks.join(lane, undefined, () => this.#ask(lane, device)).result;
  }

  /**
   * Asks the register at an address who it is and how it stands, before anybody saves the address. Passwords that were tried
   * count for this question only.
   */
  async tryAddress(point: PointOfSale, address: string): Promise<TriedAddress> {
    const parsed = this.#services.registers.parse(address);
    if (parsed.kind === "invalid") return parsed;
    const { timeZone } = await this.#services.rulesOf(point.appId, point.accountId, point.storeId);
    const lane = parsed.address.canonical;
    const place = this.#lanes.enter(lane, () => this.#services.visit(address, timeZone, (register) => this.#examine(lane, register)));
    if (place.kind === "full") return { kind: "busy" };
    try {
      return await place.result;
    } finally {
      // The register of this point of sale has its own passwords again, should the address be the same.
      await placeOf(this.#services, point);
    }
  }

  async #examine(address: string, register: Register): Promise<TriedAddress> {
    const deadline = deadlineIn(this.#services.clock, TRY_LIMIT_MS);
    const identity = await register.identity(deadline);
    if (identity.kind === "unreachable") return identity;
    const state = await register.inspect(deadline);
    return state.kind === "unreachable" ? state : { kind: "answers", address, identity: identity.value, state: state.value };
  }

  async #ask(lane: string, device: Register): Promise<void> {
    const place = this.#lanes.enter(lane, async () => {
      const deadline = deadlineIn(this.#services.clock, LOOK_LIMIT_MS);
      const state = await device.inspect(deadline);
      if (state.kind === "reached" && this.#seen(lane)?.identity === undefined) await device.identity(deadline);
    });
    if (place.kind === "taken") await place.result;
  }

  #isFresh(address: string): boolean {
    const seen = this.#seen(address);
    const nowMs = this.#services.clock.nowMs();
    if (seen?.unreachable !== undefined) return nowMs - seen.unreachable.atMs < SILENT_MS;
    return seen?.state !== undefined && Math.abs(nowMs - seen.state.atMs) < FRESH_MS;
  }

  #seen(address: string): SeenAnswers | undefined {
    return this.#services.seen().find((one) => one.address === address);
  }
}
