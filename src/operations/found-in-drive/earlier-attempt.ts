import type { Checkpoint, Entry, EntryContent, EntryKey, Twin } from "../../journal/entry.ts";
import { nextTurn } from "../../kernel/clock.ts";
import type { Reason } from "../../model/reason.ts";
import type { Refusal } from "../../model/refusal.ts";
import { driveUnread, unreachable } from "../../model/unreachable.ts";
import type { LookUp, RegisterState } from "../../registers/register.ts";
import { correctionId, correctionKey, isCorrectable } from "../corrections.ts";
import { MAX_REQUESTS, MAX_TURNS_REFUSED, READ_FOR_EARLIER_ATTEMPT, TURNS_APART_MS, WAITED_FOR_LIMIT_MS } from "../reading-bounds.ts";
import { referenceOf } from "../reference.ts";
import { finishDone } from "../returned-more.ts";
import type { TurnServices } from "../services.ts";
import { read } from "./read-document.ts";
import { noteSilence, type Place, type Unreachable } from "./reading-place.ts";

/** How many refused twins are looked up in one step. Other work runs between two steps. */
export const TWINS_A_STEP = 20;

/** Whether the register has the document of an attempt that counts as refused, or that the journal lost. */
export type EarlierAttempt = { kind: "none" } | { kind: "found"; found: Extract<LookUp, { kind: "found" }> } | Unreachable;

/**
 * Looks whether an earlier attempt was registered after all. A person may have settled the attempt by the wrong paper slip, or before the
 * right drive was back. Only a document with the operation's id proves the registration.
 *
 * A document that the register does not return may be this attempt's document, unless the journal knows it. The document is marked as
 * unread. Then the reading of the drive (`readUnknown`, `findLostAttempt`) requests the document again, and decides how long the document
 * delays the operation. A number above the last number in the status delays the operation by at most `MAX_TURNS_REFUSED` turns.
 *
 * `notReturned: "refuse"`: a document that the register does not return leads to a refusal. This is for a caller that does not read the
 * drive afterwards.
 *
 * If the register falls silent over a document that the journal lacks, a person can leave the document out.
 */
export async function findEarlierAttempt(
  place: Place,
  { document }: Pick<EntryContent, "document">,
  earlier: Checkpoint | undefined,
  { notReturned = "mark" }: { notReturned?: "mark" | "refuse" } = {},
): Promise<EarlierAttempt> {
  const { reading, state, services } = place;
  const { clock, journal } = services;
  const { driveNumber } = state;
  if (earlier === undefined || earlier.driveNumber !== driveNumber) return { kind: "none" };
  if (document.kind !== "receipt" && document.kind !== "correction") return { kind: "none" };
  const missed: number[] = [];
  const end = earlier.lastDocumentNumber + READ_FOR_EARLIER_ATTEMPT;
  for (let number = earlier.lastDocumentNumber + 1; number <= end; number += 1) {
    if (reading.leftOut.has(number)) continue;
    const isAboveStatus = number > state.lastDocumentNumber;
    // The reading of the drive requests a marked document with a longer time, but at most `MAX_REQUESTS` times, and not always above the
    // status.
    const isReadLater = reading.isMissed(number) && !isAboveStatus && reading.requestsOf(number) < MAX_REQUESTS;
    if (notReturned === "mark" && isReadLater) continue;
    const found = await read(place, number, { attempts: 1, ...(isAboveStatus ? { limitMs: WAITED_FOR_LIMIT_MS } : {}) });
    if (found.kind === "unreachable") {
      if (notReturned === "mark") await reading.markMissed(missed);
      if (!isAboveStatus && !(await journal.hasDocument(driveNumber, number))) await noteSilence(place, number);
      return { kind: "unreachable", refusal: unreachable(found.reason) };
    }
    if (found.kind === "found" && found.reference === document.reference) return { kind: "found", found };
    // The status may have an old number. Only the drive's own answer shows that no further document follows.
    if (found.kind === "absent" && isAboveStatus) break;
    if (found.kind === "unread" && isAboveStatus && notReturned === "mark") {
      // The drive may end before this number, so the number is not marked. The reading of the drive perhaps never requests the number.
      await reading.markMissed(missed);
      if (reading.turnsRefused.count >= MAX_TURNS_REFUSED) return { kind: "none" };
      reading.turnsRefused.add(clock, TURNS_APART_MS);
      return { kind: "unreachable", refusal: driveUnread("document-not-given", { number: `${number}` }) };
    }
    if (found.kind === "unread" && !(await journal.hasDocument(driveNumber, number))) missed.push(number);
  }
  const [first] = missed;
  if (first === undefined) return { kind: "none" };
  if (notReturned === "refuse") return { kind: "unreachable", refusal: driveUnread("document-not-given", { number: `${first}` }) };
  await reading.markMissed(missed);
  return { kind: "none" };
}

/**
 * Returns the refusal for an operation that must not be made again, although the present drive lacks its document. There are two cases:
 *
 * - The document was read in another drive, which has since been replaced. A person either puts that drive back until the till has repeated
 *   the operation, or settles the operation by the figures on its paper (operator/settling).
 * - A correction that registers the operation was read in a drive, and the journal lacks this correction.
 */
export async function standsElsewhere(
  { journal, log }: Pick<TurnServices, "journal" | "log">,
  { key, document, register }: EntryContent,
  { driveNumber }: RegisterState,
): Promise<Refusal | undefined> {
  if (document.kind !== "receipt" && document.kind !== "correction") return undefined;
  const places = await journal.drives.lostWithId(document.reference, missedReference(key) ?? document.reference);
  const elsewhere = places.find((place) => place.reference === document.reference && place.driveNumber !== driveNumber);
  const correction = places.find(({ reference }) => reference !== document.reference);
  if (correction !== undefined) return { code: "already-corrected", details: { number: `${correction.documentNumber}` } };
  if (elsewhere === undefined) return undefined;
  const { driveNumber: drive, documentNumber: number } = elsewhere;
  const next = "put that drive back until the operation was repeated; is it gone for good? Then see journal explain";
  log.error({ register, drive, document: number, next }, "an operation that the journal does not have stands in a drive that was replaced");
  return { code: "registered-in-other-drive", details: { number: `${number}`, drive } };
}

/**
 * Returns the refusal when the receipt of a refused twin was read in a drive, or the receipt of the correction that registers the twin. A
 * twin is the same document under the other id type. A person may have settled the twin by the wrong paper, or a restored database may lack
 * the attempt that registered the twin. Call this after reading the drive (`readUnknown`).
 */
export async function twinInDrive(
  { journal, log }: Pick<TurnServices, "journal" | "log">,
  { register, key: { documentId } }: EntryContent,
  refusedTwins: readonly Twin[],
): Promise<Refusal | undefined> {
  for (const [at, { id, key }] of refusedTwins.entries()) {
    if (at > 0 && at % TWINS_A_STEP === 0) await nextTurn();
    const reference = referenceOf(key);
    const [place] = await journal.drives.lostWithId(reference, missedReference(key) ?? reference);
    if (place === undefined) continue;
    const { driveNumber: drive, documentNumber: number } = place;
    const fields = { register, drive, number, entry: id, document: documentId };
    log.error(fields, "the same document stands in a drive under another id type; a person must look");
    return { code: "other-id-type" };
  }
  return undefined;
}

/** Returns this server's id on the document of the correction that registers the operation as missed. */
function missedReference(key: EntryKey): string | undefined {
  if (!isCorrectable(key.operation)) return undefined;
  return referenceOf(correctionKey(key, correctionId({ operation: key.operation, documentId: key.documentId }, "missed")));
}

/** Why a document is in the drive but not in the journal, as a log line and as a reason for the journal. */
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

/** Returns a checkpoint from before a document that only the drive has. No checkpoint of such a document was stored. */
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
 * Ends the new attempt with the document in the drive. With equal kind, sign and sum the attempt is done. Otherwise the attempt is in
 * doubt, and only a person can decide.
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
