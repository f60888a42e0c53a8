import type { SeededRandom } from "../seeded-random.ts";

/**
 * A death of the server. `time` strikes at a moment of the request's usual duration, `write` after a
 * number of the writes it usually makes, `start` while the server starts and settles what the last
 * death left open. The fraction reaches a little beyond the usual end: then the answer is out already.
 */
export interface Kill {
  at: "time" | "write" | "start";
  fraction: number;
}

const REACH = 1.3;
const SHARE_BY_TIME = 0.4;
/** Of the deaths that follow another one in the same operation. */
const SHARE_AT_START = 0.4;

/** Which operation meets which deaths: drawn once from the seed. */
export class KillPlan {
  readonly #kills: Kill[][];

  constructor(random: SeededRandom, kills: number, operations: number) {
    this.#kills = Array.from({ length: operations }, () => []);
    for (let count = 0; count < kills; count += 1) {
      const operation = this.#kills[random.below(operations)];
      operation?.push(operation.length > 0 && random.fraction() < SHARE_AT_START ? atStart(random) : duringRequest(random));
    }
  }

  /** The deaths during one operation, in their order; the first always strikes the request itself. */
  during(operation: number): readonly Kill[] {
    return this.#kills[operation] ?? [];
  }
}

function atStart(random: SeededRandom): Kill {
  return { at: "start", fraction: random.fraction() };
}

function duringRequest(random: SeededRandom): Kill {
  return { at: random.fraction() < SHARE_BY_TIME ? "time" : "write", fraction: random.fraction() * REACH };
}
