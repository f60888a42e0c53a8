import type { Fate } from "./life.ts";
import type { SeededChance } from "./seeded-chance.ts";
import type { Troubles } from "./troubles.ts";

/** The awaits at which the server's processes die. */
export type DeathPlan =
  /** Any await, by chance, until the storm is over. */
  | { kind: "random" }
  /** The await of this number, counted from 1 over the whole run. `again`: the next life dies too, so many awaits later. */
  | { kind: "at"; await: number; fate: "die-before" | "die-after"; again?: number };

/** The number of stack frames that are kept. They must reach from the await to the operation. */
const DEEPEST_STACK = 60;

/** Decides which process dies at which await, and remembers the places. A place is the way through the server's code to the await. */
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

  /** Must be called at each await, by the code that awaits. */
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

  /** An operation has far more awaits on the line than elsewhere, so each of those is less likely to be chosen. */
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
