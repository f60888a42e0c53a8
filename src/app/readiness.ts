import type { ReadyCheck } from "../http/probes.ts";
import type { Clock } from "../kernel/clock.ts";
import { Failure } from "../kernel/failure.ts";
import { Rounds } from "../kernel/rounds.ts";
import type { Store } from "../store/database.ts";

/** The causes that stop every change, in words without names of hosts, users or folders. Other causes are only logged. */
const REASONS = new Map([
  ["database-full", "the database has no room left: it takes no change"],
  ["database-read-only", "the database can only be read: it takes no change"],
  ["database-unwritable", "the files of the database cannot be written (read-only file system, quota or limit): it takes no change"],
]);

/** The conditions of every registration: the database answers, is still the database that was opened, and takes changes. */
export function readyChecks(store: Pick<Store, "ping" | "mustTakeChanges">): ReadyCheck[] {
  return [
    {
      name: "database",
      async check() {
        await store.ping();
        await store.mustTakeChanges();
      },
      reasonFor: (thrown) => (thrown instanceof Failure ? REASONS.get(thrown.code) : undefined),
    },
  ];
}

/** How often the server checks that its database files are in place, even without requests. */
const LOOK_INTERVAL_MS = 2_000;

/** Checks repeatedly that the database is in place. */
export function watchPlace(clock: Clock, store: Store): Rounds {
  return new Rounds(clock, LOOK_INTERVAL_MS, () => lookAtPlace(store));
}

/** Checks that the database is in place. Ignores a `Failure`: `HeldFiles` reports a loss, and the check is repeated soon. */
async function lookAtPlace(store: Store): Promise<void> {
  try {
    await store.mustBeInPlace();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}
