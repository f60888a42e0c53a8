import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { RegisterIdentity } from "../../model/facts.ts";

/** What the register said of itself in the newest document that it finished with the drive of the entry. */
export async function knownIdentity(journal: Journal, { register, checkpoint }: Entry): Promise<RegisterIdentity | undefined> {
  if (checkpoint === undefined) return undefined;
  return (await journal.newestWith(register, checkpoint.driveNumber))?.facts?.identity;
}
