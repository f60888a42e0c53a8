import type { Fate } from "./life.ts";
import type { SeededChance } from "./seeded-chance.ts";
import type { Troubles } from "./troubles.ts";

/** Which awaits the server's processes die at. */
export type DeathPlan =
  /** Any, by chance, until the storm is over. */
  | { kind: "random" }
  /** The one of that number, counted from 1 over the whole run; `again`: and so many awaits later, in the next life. */
  | { kind: "at"; await: number; fate: "die-before" | "die-after"; again?: number };

/** Frames of a stack that are kept: from the await up to the operation it belongs to. */
const DEEPEST_STACK = 60;

/** Decides who dies where, and remembers it: a place is the way through the server's code to the await. */
export class Deaths {
  readonly #plan: DeathPlan;
  readonly #chance: SeededChance;
  readonly places = new Set<string>();
  /** Deaths so far. */
  count = 0;
  /** Awaits so far. */
  awaits = 0;

  constructor(plan: DeathPlan, chance: SeededChance) {
    this.#plan = plan;
    this.#chance = chance;
  }

  /** To be asked at each await, from within the code that awaits. */
  fate(point: string, troubles: Troubles): Fate {
    this.awaits += 1;
    const fate = this.#plan.kind === "at" ? this.#planned(this.#plan) : this.#random(point, troubles);
    if (fate !== "live") {
      this.count += 1;
      this.places.add(placeOf(point));
    }
    return fate;
  }

  #planned(plan: DeathPlan & { kind: "at" }): Fate {
    const again = plan.again === undefined ? undefined : plan.await + plan.again;
    return this.awaits === plan.await || this.awaits === again ? plan.fate : "live";
  }

  /** An operation has far more awaits on the line than anywhere else: each is the less likely. */
  #random(point: string, { deathAtAwait, deathOnTheLine }: Troubles): Fate {
    if (!this.#chance.happens(point.startsWith("link") ? deathOnTheLine : deathAtAwait)) return "live";
    return this.#chance.happens(0.5) ? "die-before" : "die-after";
  }
}

/** `link read < runner.ts:142 < receipt.ts:58 < registering.ts:31`: the sources on the stack, innermost first. */
function placeOf(point: string): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = DEEPEST_STACK;
  const { stack = "" } = new Error(point);
  Error.stackTraceLimit = limit;
  const frames = [...stack.matchAll(/\/src\/([a-z0-9/-]+\.ts):(\d+)/g)].map(([, file, line]) => `${file}:${line}`);
  return [point, ...frames].join(" < ");
}
