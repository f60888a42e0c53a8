import type { Entry } from "../journal/entry.ts";
import { Failure } from "../kernel/failure.ts";
import { turnAt } from "./plan.ts";
import type { OperationServices, TurnServices } from "./services.ts";
import { settle } from "./settle.ts";
import { Turn } from "./turn.ts";

/**
 * Takes up an entry that was left unfinished, in its own lane: what waits goes to its register, what may
 * have been sent is settled by asking. Returns the entry as it stands then.
 */
export async function resume(services: OperationServices, left: Entry): Promise<Entry> {
  const entry = await current(services, left);
  if (entry.state === "done" || entry.state === "refused") return entry;
  const { device, rules } = await turnAt(services, entry);
  if (entry.state !== "queued") return settle(services, device, entry, "restart");
  const result = await new Turn({ services, device, rules, content: entry, known: entry, earlier: entry.checkpoint }).take();
  return result.kind === "entry" ? result.entry : current(services, entry);
}

/** The entry as it stands: another turn of the lane may have ended it meanwhile. */
export async function current({ journal }: Pick<TurnServices, "journal">, entry: Entry): Promise<Entry> {
  const found = await journal.find(entry.key);
  if (found === undefined) throw new Failure("journal-entry-missing", "fault", `entry ${entry.id} has left the journal`);
  return found;
}
