import type { Entry, EntryContent } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { isTrade } from "../../model/document.ts";
import type { Refusal } from "../../model/refusal.ts";
import { uncorrectable } from "../../model/uncorrectable.ts";
import { unreachable } from "../../model/unreachable.ts";
import { referenceOf } from "../reference.ts";
import { INSPECT_LIMIT_MS } from "../services.ts";
import { findEarlierAttempt } from "./earlier-attempt.ts";
import { lookUpIn } from "./read-document.ts";
import type { Place } from "./reading-place.ts";

/**
 * Returns the refusal when a drive contradicts the correction, or when the register cannot be asked. The journal may know the corrected
 * document only from a person who read its paper. Call this after reading the drive (`readUnknown`): in the rehearsal, and again in the
 * correction's turn, because the corrected operation may be registered in between.
 */
export async function driveProblem(
  place: Place,
  { key, operation }: Pick<EntryContent, "key" | "operation">,
): Promise<Refusal | undefined> {
  if (operation.kind !== "correction") return undefined;
  const { of, step, settlement } = operation;
  const corrected = await place.services.journal.find({ ...key, operation: of.operation, documentId: of.document.id });
  if (corrected === undefined) return undefined;
  if (step === "missed") return alreadyInDrive(place, corrected);
  return otherDocumentInDrive(place, corrected, settlement.originalSign);
}

/**
 * Returns the refusal when a drive has the document of the operation that counts as never registered: a person may have looked at the wrong
 * paper. Also returns a refusal when the register cannot be asked, or does not return a document that may be this document.
 */
async function alreadyInDrive(place: Place, missed: Entry): Promise<Refusal | undefined> {
  const found = await findEarlierAttempt(place, missed, missed.checkpoint, { notReturned: "refuse" });
  if (found.kind === "unreachable") return found.refusal;
  const number = found.kind === "found" ? found.found.facts.documentNumber : await numberOfLost(place.services.journal, missed);
  return number === undefined ? undefined : uncorrectable("stands-in-drive", { number: String(number) });
}

/**
 * Returns the number under which the operation's document, or its twin's document, was read in a drive. A restored database may have the
 * operation as refused, and lack the later attempt that registered it.
 */
async function numberOfLost(journal: Pick<Journal, "drives" | "twins">, missed: Entry): Promise<number | undefined> {
  if (!isTrade(missed.document)) return undefined;
  const twins = await journal.twins(missed);
  for (const reference of [missed.document.reference, ...twins.map(({ key }) => referenceOf(key))]) {
    const [place] = await journal.drives.lostWithId(reference);
    if (place !== undefined) return place.documentNumber;
  }
  return undefined;
}

/**
 * Returns the refusal when the drive's document under the journal's number has another fiscal sign, or when the register cannot be asked. A
 * drive without that number contradicts nothing.
 */
async function otherDocumentInDrive(
  { services: { clock }, device, state }: Place,
  { id, facts }: Entry,
  fiscalSign: string | undefined,
): Promise<Refusal | undefined> {
  // With another fiscal sign the correction is about a second copy, which has another number than the journal's document.
  if (facts?.kind !== "fiscal" || facts.fiscalSign !== fiscalSign || facts.identity.driveNumber !== state.driveNumber) return undefined;
  const found = await lookUpIn(state.driveNumber, device, facts.documentNumber, deadlineIn(clock, INSPECT_LIMIT_MS));
  if (found.kind === "unreachable") return unreachable(found.reason);
  if (found.kind !== "found" || Number(found.facts.fiscalSign) === Number(facts.fiscalSign)) return undefined;
  const { documentNumber, fiscalSign: sign } = found.facts;
  return uncorrectable("sign-differs", { number: String(documentNumber), sign, entry: String(id) });
}
