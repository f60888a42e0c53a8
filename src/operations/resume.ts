import type { Entry } from "../journal/entry.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import { turnAt } from "./plan.ts";
import type { OperationServices, TurnServices } from "./services.ts";
import { settle } from "./settle-by-register.ts";
import { Turn } from "./turn.ts";

/**
 * Continues an unfinished entry, and returns the entry as it is afterwards. Call it in a turn of the entry's lane. A queued entry takes its
 * turn like a new operation. A possibly sent entry is settled by asking the register. An entry that has ended meanwhile stays as it is.
 */
export async function resume(services: OperationServices, unfinished: Pick<Entry, "id" | "key">): Promise<Entry> {
  const entry = await current(services, unfinished);
  if (entry.state === "done" || entry.state === "refused") return entry;
  const { device, rules } = await turnAt(services, entry);
  if (entry.state !== "queued") return settle(services, device, entry, "restart");
  const result = await new Turn({ services, device, rules, content: entry, known: entry, earlier: entry.checkpoint }).take();
  return result.kind === "entry" ? result.entry : current(services, entry);
}

/**
 * Continues an unfinished entry for a caller that waits for its outcome. If the continuation fails, an ended entry is returned as it is,
 * and a possibly sent entry is returned as in doubt. A thrown failure would tell the caller that nothing was sent. Throws only for a queued
 * entry.
 */
export async function resumeOrDoubt(services: OperationServices, unfinished: Entry): Promise<Entry> {
  try {
    return await resume(services, unfinished);
  } catch (error) {
    const entry = await current(services, unfinished).catch(() => unfinished);
    if (entry.state === "queued") throw error;
    services.log.error({ entry: entry.id, error: messageOf(error) }, "an unfinished operation could not be taken up");
    if (entry.state === "done" || entry.state === "refused") return entry;
    return { ...entry, state: "in-doubt", doubt: entry.doubt ?? { code: "not-committed" } };
  }
}

/** Reads the entry from the journal again, because another turn of the lane may have ended it. Throws a `Failure` if it is missing. */
export async function current({ journal }: Pick<TurnServices, "journal">, entry: Pick<Entry, "id" | "key">): Promise<Entry> {
  const found = await journal.find(entry.key);
  if (found === undefined) throw new Failure("journal-entry-missing", "fault", `entry ${entry.id} has left the journal`);
  return found;
}
