import type { SeededRandom } from "../seeded-random.ts";

/** The programs that are killed. */
type Victim = "server" | "agent";

/**
 * Which program is killed, and when. `time`: after a share of the request's usual duration. `write`: after a share of its usual writes.
 * `start`: while the server starts again and settles what the last kill interrupted. The fraction may be a little above 1, so that
 * some kills come after the answer.
 */
export interface Kill {
  at: "time" | "write" | "start";
  fraction: number;
  victim: Victim;
}

const REACH = 1.3;
const SHARE_BY_TIME = 0.4;
/** The share of kills during the start, among the kills that are not the first of their operation. */
const SHARE_AT_START = 0.4;

/** The kills of each operation. They are chosen once, by the seed. */
export class KillPlan {
  readonly #kills: Kill[][];

  constructor(random: SeededRandom, kills: number, operations: number, victims: readonly Victim[] = ["server"]) {
    this.#kills = Array.from({ length: operations }, () => []);
    for (let count = 0; count < kills; count += 1) {
      const operation = this.#kills[random.below(operations)];
      const when = operation !== undefined && operation.length > 0 && random.fraction() < SHARE_AT_START ? atStart : duringRequest;
      // A plan with one victim draws nothing for it, so that its seeds mean the same kills with and without agents.
      const victim = victims.length === 1 ? victims[0] : victims[random.below(victims.length)];
      operation?.push({ ...when(random), victim: victim ?? "server" });
    }
  }

  /** Returns the kills during one operation, in order. The first kill always comes during the request itself. */
  during(operation: number): readonly Kill[] {
    return this.#kills[operation] ?? [];
  }
}

function atStart(random: SeededRandom): Omit<Kill, "victim"> {
  return { at: "start", fraction: random.fraction() };
}

function duringRequest(random: SeededRandom): Omit<Kill, "victim"> {
  return { at: random.fraction() < SHARE_BY_TIME ? "time" : "write", fraction: random.fraction() * REACH };
}
