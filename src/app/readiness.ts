import type { ReadyCheck } from "../http/probes.ts";
import { Failure } from "../kernel/failure.ts";
import type { Store } from "../store/database.ts";

/** The causes that stop every change, in words without names of hosts, users or folders. Other causes are only logged. */
const REASONS = new Map([
  ["database-full", "the database has no room left: it takes no change"],
  ["database-read-only", "the database can only be read: it takes no change"],
]);

/** The checks without which nothing can be registered: the database answers, is the one that was opened, and takes changes. */
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
