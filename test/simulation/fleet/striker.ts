import { pause, systemClock } from "../../../src/kernel/clock.ts";
import type { SeededRandom } from "../../../src/tools/seeded-random.ts";
import type { CuttableLine } from "./line.ts";
import type { Member } from "./member.ts";

export const STRIKES = ["killed", "paused", "cut off in silence", "cut off", "updated"] as const;
type Strike = (typeof STRIKES)[number];

/** Longer than three leases: a server that is struck for so long has lost everything it held. */
const LONGEST_STRIKE_MS = 10_000;
/** Most strikes are short: they end before, during or right after the takeover. */
const SHORT_STRIKE_MS = 4_000;
const SHORTEST_STRIKE_MS = 100;
/** The longest time between two strikes. Sometimes it must be longer than a takeover takes. */
const LONGEST_CALM_MS = 6_000;
const SHARE = {
  short: 0.6,
  /** The share of strikes at which another member is struck too, in another way. */
  both: 0.12,
  /** The share of strikes during which the line to a device is cut. */
  device: 0.15,
};

export interface StrikerParts {
  members: readonly Member[];
  /** The lines to the devices. */
  devices: readonly CuttableLine[];
  random: SeededRandom;
}

/** Strikes each member in each way in turn, in an order that a seed decides. */
export class Striker {
  readonly #parts: StrikerParts;
  readonly #counts = new Map<string, number>();
  #deck: { member: Member; strike: Strike }[] = [];

  constructor(parts: StrikerParts) {
    this.#parts = parts;
  }

  /** How often each kind of strike happened. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  async work(untilMs: number, signal: AbortSignal): Promise<void> {
    const { random } = this.#parts;
    while (systemClock.monotonicMs() < untilMs && !signal.aborted) {
      await pause(systemClock, random.fraction() * LONGEST_CALM_MS);
      const first = this.#draw();
      const strikes = [this.#strike(first)];
      if (random.fraction() < SHARE.both) {
        const second = this.#draw();
        if (second.member !== first.member) strikes.push(this.#strike(second));
      }
      if (random.fraction() < SHARE.device) strikes.push(this.#cutDevice());
      await Promise.all(strikes);
    }
  }

  #draw(): { member: Member; strike: Strike } {
    const { members, random } = this.#parts;
    if (this.#deck.length === 0) this.#deck = members.flatMap((member) => STRIKES.map((strike) => ({ member, strike })));
    const [drawn] = this.#deck.splice(random.below(this.#deck.length), 1);
    if (drawn === undefined) throw new Error("there is no member to strike");
    return drawn;
  }

  async #strike({ member, strike }: { member: Member; strike: Strike }): Promise<void> {
    this.count(strike);
    if (strike === "killed") await member.kill(this.#length());
    else if (strike === "paused") await member.pause(this.#length());
    else if (strike === "updated") await member.update();
    else await member.cutOff(strike === "cut off" ? "broken" : "silent", this.#length());
  }

  async #cutDevice(): Promise<void> {
    const { devices, random } = this.#parts;
    const line = devices[random.below(devices.length)];
    if (line === undefined) return;
    this.count("device cut off");
    line.cut(random.fraction() < 0.5 ? "silent" : "broken");
    await pause(systemClock, this.#length());
    line.mend();
  }

  #length(): number {
    const { random } = this.#parts;
    const longest = random.fraction() < SHARE.short ? SHORT_STRIKE_MS : LONGEST_STRIKE_MS;
    return SHORTEST_STRIKE_MS + random.fraction() * (longest - SHORTEST_STRIKE_MS);
  }

  /** Counts a strike, including one that was not made by this class. */
  count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }
}
