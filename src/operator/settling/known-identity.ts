import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { RegisterIdentity } from "../../model/facts.ts";

/**
 * Returns the last known identity of the register with the entry's drive: from the drive's newest document, otherwise from the last entry
 * finished with the drive.
 */
export async function knownIdentity(journal: Journal, { register, checkpoint }: Entry): Promise<RegisterIdentity | undefined> {
  if (checkpoint === undefined) return undefined;
  return (await journal.newestWith(register, checkpoint.driveNumber))?.facts?.identity;
}
