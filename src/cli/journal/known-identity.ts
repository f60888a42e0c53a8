import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { RegisterIdentity } from "../../model/facts.ts";

/** What the register said of itself in the newest document that it finished with the drive of the entry. */
export async function knownIdentity(journal: Journal, { register, checkpoint }: Entry): Promise<RegisterIdentity | undefined> {
  const newest = await journal.newestDone(register);
  const identity = newest?.facts?.identity;
  return identity?.driveNumber === checkpoint?.driveNumber ? identity : undefined;
}
