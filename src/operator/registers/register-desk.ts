import type { EntryHead } from "../../journal/reading/head.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import type { WallTime } from "../../kernel/moment.ts";
import { PerKeyWork } from "../../kernel/per-key-work.ts";
import { present } from "../../kernel/present.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import type { Lanes } from "../../operations/lanes.ts";
import { type PointOfSale, placeOf, registerNow } from "../../operations/plan.ts";
import type { OperationServices } from "../../operations/services.ts";
import type { Register, RegisterState } from "../../registers/register.ts";

/** The last answers of a register, with their times. */
export interface SeenAnswers {
  address: string;
  emulated: boolean;
  identity?: { value: RegisterIdentity; atMs: number };
  state?: { value: RegisterState; atMs: number };
  clock?: { device: WallTime; ours: WallTime; zoneKnown: boolean; last?: WallTime; atMs: number };
  /** Set when the register did not answer the last question. */
  unreachable?: { reason: string; atMs: number };
}

/** The known state of a point of sale's register. The register is not asked. */
export type Standing =
  | { kind: "none" }
  /** The account may not use the register at the address, and sees nothing of it. `reason`: words for the cashier. */
  | { kind: "unusable"; address: string; reason: string }
  | {
      kind: "register";
      /** The canonical address, without passwords. */
      address: string;
      /** Absent: the register was not asked since the server's start. */
      seen?: SeenAnswers;
      waiting: number;
      /** The oldest operation in doubt. It blocks all registration at the register. */
      doubt?: EntryHead;
    };

export type TriedAddress =
  | { kind: "answers"; address: string; identity: RegisterIdentity; state: RegisterState }
  | { kind: "invalid"; problem: string }
  | { kind: "unreachable"; reason: string }
  /** The register's lane is full, so the register was not asked. */
  | { kind: "busy" };

interface DeskServices extends OperationServices {
  /** The last answers of the registers in use. */
  seen(): readonly SeenAnswers[];
  /** Asks a register at an address that is not saved. */
  visit<T>(address: string, zone: string, ask: (register: Register) => Promise<T>): Promise<T>;
}

/** A state older than this is read again for people who watch a register. A page then shows a change within a second. */
const FRESH_MS = 500;
/** A silent register is asked as rarely as by `Recovery`, so that its lane stays free for a sale. */
const SILENT_MS = 2_000;
/** Reading takes milliseconds. The limit is short, because a sale waits meanwhile. */
const LOOK_LIMIT_MS = 2_000;
/** A device on another network answers within a second. The remaining time is for opening its line again. */
const TRY_LIMIT_MS = 8_000;

/** Questions of people who watch registers or set them up, each in the register's lane. They register nothing. */
export class RegisterDesk {
  readonly #services: DeskServices;
  readonly #lanes: Lanes;
  readonly #looks = new PerKeyWork<void>();

  constructor(services: DeskServices, lanes: Lanes) {
    this.#services = services;
    this.#lanes = lanes;
  }

  /** Returns the known state of a point of sale's register. Asks no device. */
  async standing(point: PointOfSale): Promise<Standing> {
    const address = await registerNow(this.#services, point);
    if (address === undefined) return { kind: "none" };
    const reason = await this.#services.unusable?.(point, address);
    if (reason !== undefined) return { kind: "unusable", address, reason };
    const doubt = (await this.#services.journal.heads.sentOn(address)).find(({ state }) => state === "in-doubt");
    const waiting = this.#lanes.depths().find(({ register }) => register === address)?.waiting ?? 0;
    return {
      kind: "register",
      address,
      waiting,
      ...present({ seen: this.#seen(address), doubt }),
    };
  }

  /**
   * Reads the register's state when its last answer is old. Simultaneous callers share one reading. A busy register is not asked, because
   * its operation brings the newest state.
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
   * Asks the register at an unsaved address for identity and state. Passwords in the address are used for this question only. A register
   * that the account may not use is not asked.
   */
  async tryAddress(point: PointOfSale, address: string): Promise<TriedAddress> {
    const parsed = this.#services.registers.parse(address);
    if (parsed.kind === "invalid") return parsed;
    const { timeZone } = await this.#services.rulesOf(point.appId, point.accountId, point.storeId);
    const lane = parsed.address.canonical;
    const unusable = await this.#services.unusable?.(point, lane);
    if (unusable !== undefined) return { kind: "unreachable", reason: unusable };
    await this.#services.held?.pull(lane);
    // The address may belong to the point of sale's own register. Then this call sets the register's present zone, which the question
    // keeps.
    await placeOf(this.#services, point);
    const place = this.#lanes.enter(lane, () => this.#services.visit(address, timeZone, (register) => this.#examine(lane, register)));
    if (place.kind === "full") return { kind: "busy" };
    try {
      return await place.result;
    } finally {
      // For the point of sale's own register this call restores the stored passwords.
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
