import { type Actor, EVERY_ACCOUNT, writeAudit } from "../../accounts/audit.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Clock } from "../../kernel/clock.ts";

/** A document of a drive that the register does not return. */
export interface DocumentPlace {
  driveNumber: string;
  documentNumber: number;
}

type LeftOut =
  | { kind: "left-out" }
  /** `unread`: the documents of this drive that could be left out. */
  | { kind: "refused"; because: { code: "not-unread"; unread: number[] } };

/**
 * Leaves a document out of the reading of its drive, as a person decides: it is not requested again, and no operation waits for it. Without
 * this decision sales wait for a document as long as the register falls silent whenever the document is requested. If the document is a
 * sale that the journal lacks, a repeat registers that sale again. So only a document that the register has not returned may be left out.
 *
 * The audit line is written in the same commit. It names no account, because accounts may share a drive.
 */
export async function leaveOutDocument(
  { journal: { drives }, clock }: { journal: Pick<Journal, "drives">; clock: Pick<Clock, "nowMs"> },
  place: DocumentPlace,
  reason: string,
  actor: Actor,
): Promise<LeftOut> {
  const key = { appId: EVERY_ACCOUNT, accountId: EVERY_ACCOUNT };
  const subject = `${place.driveNumber}/${place.documentNumber}`;
  const isLeftOut = await drives.leaveOut(place, (tx) =>
    writeAudit(tx, { atMs: clock.nowMs(), key, actor }, { act: "leave-out", subject, reason }),
  );
  if (isLeftOut) return { kind: "left-out" };
  return { kind: "refused", because: { code: "not-unread", unread: await drives.unreadOf(place.driveNumber) } };
}
