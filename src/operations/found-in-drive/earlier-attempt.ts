import type { Checkpoint, Entry, EntryContent } from "../../journal/entry.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import type { Reason } from "../../model/reason.ts";
import type { Refusal } from "../../model/refusal.ts";
import { unreachable } from "../../model/unreachable.ts";
import type { LookUp, Register, RegisterState } from "../../registers/register.ts";
import { READ_FOR_EARLIER_ATTEMPT } from "../reading-bounds.ts";
import { finishDone } from "../returned-more.ts";
import { INSPECT_LIMIT_MS, type TurnServices } from "../services.ts";

/** Whether the register has the document of an earlier attempt that counts as refused. */
export type EarlierAttempt =
  | { kind: "none" }
  | { kind: "found"; found: Extract<LookUp, { kind: "found" }> }
  | { kind: "unreachable"; refusal: Refusal };

/**
 * Looks whether an earlier attempt of the operation was registered after all. A person may have settled the attempt by
 * the wrong paper slip, or before the right drive was back. Only a document that carries the operation's id can prove
 * it.
 */
export async function findEarlierAttempt(
  { clock }: Pick<TurnServices, "clock">,
  device: Register,
  { document }: EntryContent,
  earlier: Checkpoint | undefined,
  state: RegisterState,
): Promise<EarlierAttempt> {
  if (earlier === undefined || earlier.driveNumber !== state.driveNumber) return { kind: "none" };
  if (document.kind !== "receipt" && document.kind !== "correction") return { kind: "none" };
  const deadline = deadlineIn(clock, INSPECT_LIMIT_MS);
  const end = earlier.lastDocumentNumber + READ_FOR_EARLIER_ATTEMPT;
  for (let number = earlier.lastDocumentNumber + 1; number <= end; number += 1) {
    const found = await device.lookUp(number, deadline);
    if (found.kind === "unreachable") return { kind: "unreachable", refusal: unreachable(found.reason) };
    if (found.kind === "found" && found.reference === document.reference) return { kind: "found", found };
    // The number in the register's status may be old, so only the drive's own answer shows where the drive ends.
    if (found.kind === "absent" && number > state.lastDocumentNumber) break;
  }
  return { kind: "none" };
}

/** The reason why a document is in the drive and not in the journal, as a line for the log and as a reason for the journal. */
interface Story {
  logText: string;
  reason: Reason;
}

const SETTLED: Story = {
  logText: "an operation that was settled as not registered stands in the drive",
  reason: { code: "attempt-found" },
};

export const LOST: Story = {
  logText: "an operation that the journal did not have stands in the drive",
  reason: { code: "restored-from-drive" },
};

/** Returns the checkpoint that the journal would have stored before a document that is known only from the drive. */
export function checkpointBefore({ facts }: Extract<LookUp, { kind: "found" }>, state: RegisterState): Checkpoint {
  return {
    driveNumber: state.driveNumber,
    lastDocumentNumber: facts.documentNumber - 1,
    shiftNumber: facts.shiftNumber,
    shiftOpen: true,
    drawerKopecks: state.drawerKopecks,
    deviceTime: facts.time,
  };
}

/**
 * Ends the new attempt with the document in the drive. With equal content the attempt is done. Otherwise it is in
 * doubt: only a person can decide about a receipt that was registered with other content.
 */
export async function takeEarlierAttempt(
  services: TurnServices,
  content: EntryContent,
  known: Entry | undefined,
  earlier: Checkpoint,
  { facts }: Extract<LookUp, { kind: "found" }>,
  story: Story = SETTLED,
): Promise<Entry> {
  const { journal, log } = services;
  const begun = known?.state === "queued" ? await journal.send(known, earlier, content.document) : await journal.begin(content, earlier);
  const { document } = content;
  const number = facts.documentNumber;
  log.error({ entry: begun.id, document: number }, story.logText);
  const same =
    document.kind === facts.document &&
    (document.kind === "receipt" || document.kind === "correction") &&
    facts.receipt?.sign === document.sign &&
    facts.receipt.totalKopecks === document.totalKopecks;
  return same
    ? finishDone(services, begun, { facts, by: "look-up", reasons: [story.reason] })
    : journal.finish(begun, { kind: "in-doubt", doubt: { code: "registered-with-other-sum", number } }, "look-up");
}
