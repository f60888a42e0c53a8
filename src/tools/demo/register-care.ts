import { type Clock, pause } from "../../kernel/clock.ts";
import { wallAsUtcMs } from "../../kernel/moment.ts";
import { moscowTime } from "./ledger.ts";
import type { DeviceControl } from "./processes/device-control.ts";
import type { DeviceProcess } from "./processes/device-process.ts";

const NOTICE_MS = 3_000;
const LOOK_EVERY_MS = 500;
/** A cashier's pause before the next attempt. */
const BREATH_MS = 1_000;
/** After more refusals of one document than this, an engineer repairs the register. */
const MAX_REFUSALS = 3;
/** The clock is set when it is further behind than this. */
const CLOCK_SLACK_MS = 60_000;

type CaredDevice = Pick<DeviceProcess, "repair"> & { readonly control: Pick<DeviceControl, "state" | "documents" | "order"> };

/** Plays the person who helps a register without paper or power, with a wrong clock, or with a fault. */
export class RegisterCare {
  readonly #device: CaredDevice;
  readonly #clock: Clock;
  readonly #note: (text: string) => void;

  constructor(device: CaredDevice, clock: Clock, note: (text: string) => void) {
    this.#device = device;
    this.#clock = clock;
    this.#note = note;
  }

  /** Returns the instant of the register's clock, in ms. The clock is read in the shop's zone. */
  async nowMs(): Promise<number> {
    const { time } = await this.#device.control.state();
    return this.#clock.nowMs() + wallAsUtcMs(time) - wallAsUtcMs(moscowTime(this.#clock.nowMs()));
  }

  /**
   * Runs the work. If the register loses its power meanwhile, switches the register on again. Throws the error of the work, otherwise that
   * of watching the register.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const over = new AbortController();
    // Kept until the work has ended: nobody would handle an error that comes before.
    const watching = this.#watch(over.signal).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const result = await work().finally(() => over.abort());
    const failed = await watching;
    if (failed !== undefined) throw failed.error;
    return result;
  }

  /** Helps the register after a refusal of a document. `refusals`: the document's refusals so far. */
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

  /** Returns the faults that were set but have not happened. Repeating faults are left out. */
  async leftOver(): Promise<string[]> {
    return (await this.#device.control.state()).faults.filter((spec) => !spec.includes("#*"));
  }

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
   * Sets the clock if it is too far behind the true time, or behind the time of the last document. The new time is the later of these two
   * times, because a drive refuses a document that is older than its last document.
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
