import type { SeededRandom } from "../seeded-random.ts";

type Victim = "server" | "agent";

/**
 * A kill of one program.
 * `time`: after a fraction of the request's usual duration.
 * `write`: after a fraction of the request's usual writes.
 * `start`: after a fraction of the duration of the server's last start, while the server settles the work of the last kill. Such a kill
 * strikes the starting server, whatever `victim` says. If no server is dead, the kill comes as with `write`.
 * The fraction of `time` and `write` may slightly exceed 1, so that some kills come after the answer.
 */
export interface Kill {
  at: "time" | "write" | "start";
  fraction: number;
  victim: Victim;
}

const REACH = 1.3;
const SHARE_BY_TIME = 0.4;
/** Of the second and later kills of an operation, the share that comes during a start of the server. */
const SHARE_AT_START = 0.4;

/** The kills of each operation, chosen once by the seed. */
export class KillPlan {
  readonly #kills: Kill[][];

  constructor(random: SeededRandom, kills: number, operations: number, victims: readonly Victim[] = ["server"]) {
    this.#kills = Array.from({ length: operations }, () => []);
    for (let count = 0; count < kills; count += 1) {
      const operation = this.#kills[random.below(operations)];
      const when = operation !== undefined && operation.length > 0 && random.fraction() < SHARE_AT_START ? atStart : duringRequest;
      // With only one victim no random number is drawn. So a seed gives different kills with and without an agent.
      const victim = victims.length === 1 ? victims[0] : victims[random.below(victims.length)];
      operation?.push({ ...when(random), victim: victim ?? "server" });
    }
  }

  /** Returns the kills of one operation, in order. The first kill never comes during a start of the server. */
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
