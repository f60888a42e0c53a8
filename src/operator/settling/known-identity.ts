import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { RegisterIdentity } from "../../model/facts.ts";

/** Returns the register's identity in its newest finished document with the entry's drive. */
export async function knownIdentity(journal: Journal, { register, checkpoint }: Entry): Promise<RegisterIdentity | undefined> {
  if (checkpoint === undefined) return undefined;
  return (await journal.newestWith(register, checkpoint.driveNumber))?.facts?.identity;
}
