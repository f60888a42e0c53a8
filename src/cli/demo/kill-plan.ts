import type { SeededRandom } from "../../sandbox/random.ts";

/** One kill in five meets the server while it starts, when it settles what the last death left open. */
const SHARE_AT_START = 0.2;
/** Moments reach a little beyond the usual end: the answer is out and the process dies after it. */
const REACH = 1.3;

export type Kill = { at: "operation"; fraction: number } | { at: "start"; fraction: number };

/** Which operation meets which deaths: drawn once from the seed. */
export class KillPlan {
  readonly #kills: Kill[][];

  constructor(random: SeededRandom, kills: number, operations: number) {
    this.#kills = Array.from({ length: operations }, () => []);
    for (let count = 0; count < kills; count += 1) {
      const operation = this.#kills[random.below(operations)];
      const first = operation?.length === 0;
      const at = !first && random.fraction() < SHARE_AT_START * 2 ? "start" : "operation";
      operation?.push({ at, fraction: random.fraction() * (at === "start" ? 1 : REACH) });
    }
  }

  /** The deaths during one operation, in their order; the first always strikes the operation itself. */
  during(operation: number): readonly Kill[] {
    return this.#kills[operation] ?? [];
  }
}
