import { type Clock, pause } from "../../kernel/clock.ts";
import { wallAsUtcMs } from "../../kernel/moment.ts";
import type { DeviceProcess } from "./device-process.ts";
import { moscowTime } from "./ledger.ts";

/** How soon a person notices that the register has no power. */
const NOTICE_MS = 3_000;
const LOOK_EVERY_MS = 500;
/** How long a cashier waits before repeating. */
const BREATH_MS = 1_000;
/** After this many refusals of one document the engineer is called. */
const MAX_REFUSALS = 3;
/** A clock that differs by more than this is set. */
const CLOCK_SLACK_MS = 60_000;

/** What a person does at the register when it has no paper, no power, a wrong clock, or a fault. */
export class RegisterCare {
  readonly #device: DeviceProcess;
  readonly #clock: Clock;
  readonly #note: (text: string) => void;

  constructor(device: DeviceProcess, clock: Clock, note: (text: string) => void) {
    this.#device = device;
    this.#clock = clock;
    this.#note = note;
  }

  /** The time on the register's clock as an instant in the shop's zone, ms. */
  async nowMs(): Promise<number> {
    const { time } = await this.#device.control.state();
    return this.#clock.nowMs() + wallAsUtcMs(time) - wallAsUtcMs(moscowTime(this.#clock.nowMs()));
  }

  /** Runs the work while watching the register. When its power is gone, somebody switches it on. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const over = new AbortController();
    const watching = this.#watch(over.signal);
    try {
      return await work();
    } finally {
      over.abort();
      await watching;
    }
  }

  /** Called after the nth refusal of one document, counted from 1. */
  async tend(refusals: number): Promise<void> {
    await this.#switchOn();
    const { paper, time } = await this.#device.control.state();
    if (!paper) {
      await this.#device.control.order({ do: "paper", in: true });
      this.#note("paper is put in");
    }
    await this.#setClock(time);
    if (refusals > MAX_REFUSALS) {
      await this.#device.repair();
      this.#note("the engineer repairs the register: the same drive, no faults any more");
    }
    await pause(this.#clock, BREATH_MS);
  }

  /** Faults that have not happened. */
  async leftOver(): Promise<string[]> {
    return (await this.#device.control.state()).faults.filter((spec) => !spec.includes("#*"));
  }

  /** The newest document in the drive. */
  async lastDocument(): Promise<number> {
    return (await this.#device.control.state()).lastDocument;
  }

  async #watch(over: AbortSignal): Promise<void> {
    let darkSinceMs: number | undefined;
    for (;;) {
      await pause(this.#clock, LOOK_EVERY_MS, over);
      if (over.aborted) return;
      const { power } = await this.#device.control.state();
      const nowMs = this.#clock.monotonicMs();
      darkSinceMs = power ? undefined : (darkSinceMs ?? nowMs);
      if (darkSinceMs !== undefined && nowMs - darkSinceMs >= NOTICE_MS) await this.#switchOn();
    }
  }

  async #switchOn(): Promise<void> {
    if ((await this.#device.control.state()).power) return;
    await this.#device.control.order({ do: "power", on: true });
    this.#note("the register is switched on again");
  }

  /**
   * Sets the clock to the true time, or to the time of the last document when that is later, because a drive refuses a document
   * that is older than its last.
   */
  async #setClock(shown: string): Promise<void> {
    const wall = moscowTime(this.#clock.nowMs());
    const last = (await this.#device.control.documents()).at(-1)?.time ?? "";
    if (last <= shown && wallAsUtcMs(wall) - wallAsUtcMs(shown) <= CLOCK_SLACK_MS) return;
    const right = [last, wall].toSorted().at(-1) ?? wall;
    await this.#device.control.order({ do: "clock", at: right.replace(" ", "T") });
    this.#note(`the register's clock showed ${shown} and is set to ${right}`);
  }
}
