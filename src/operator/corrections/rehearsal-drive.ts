import type { Entry, EntryContent } from "../../journal/entry.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import type { Refusal } from "../../model/refusal.ts";
import { uncorrectable } from "../../model/uncorrectable.ts";
import { unreachable } from "../../model/unreachable.ts";
import { findEarlierAttempt } from "../../operations/found-in-drive/earlier-attempt.ts";
import { INSPECT_LIMIT_MS, type TurnServices } from "../../operations/services.ts";
import type { Register, RegisterState } from "../../registers/register.ts";

/**
 * Returns the reason why the drive contradicts the correction. The journal may know the corrected document only from a person
 * who read its paper.
 */
export async function driveProblem(
  services: Pick<TurnServices, "clock" | "journal">,
  device: Register,
  { key, operation }: EntryContent,
  state: RegisterState,
): Promise<Refusal | undefined> {
  if (operation.kind !== "correction") return undefined;
  const { of, step, settlement } = operation;
  const corrected = await services.journal.find({ ...key, operation: of.operation, documentId: of.document.id });
  if (corrected === undefined) return undefined;
  if (step === "missed") return alreadyInDrive(services, device, corrected, state);
  return otherDocumentInDrive(services, device, corrected, { state, fiscalSign: settlement.originalSign });
}

/**
 * Returns the refusal when the drive has a document that counts as never registered: a person may have looked at the wrong
 * paper.
 */
async function alreadyInDrive(
  services: Pick<TurnServices, "clock" | "journal">,
  device: Register,
  missed: Entry,
  state: RegisterState,
): Promise<Refusal | undefined> {
  const found = await findEarlierAttempt(services, device, missed, missed.checkpoint, state);
  if (found.kind === "unreachable") return found.refusal;
  if (found.kind !== "found") return undefined;
  return uncorrectable("stands-in-drive", { number: String(found.found.facts.documentNumber) });
}

/**
 * Returns the refusal when the drive has another document under the journal's number. A drive without a document of that
 * number contradicts nothing.
 */
async function otherDocumentInDrive(
  { clock }: Pick<TurnServices, "clock">,
  device: Register,
  { id, facts }: Entry,
  { state, fiscalSign }: { state: RegisterState; fiscalSign: string | undefined },
): Promise<Refusal | undefined> {
  // The search for a copy has already looked into the drive.
  if (facts?.kind !== "fiscal" || facts.fiscalSign !== fiscalSign || facts.identity.driveNumber !== state.driveNumber) return undefined;
  const found = await device.lookUp(facts.documentNumber, deadlineIn(clock, INSPECT_LIMIT_MS));
  if (found.kind === "unreachable") return unreachable(found.reason);
  if (found.kind !== "found" || Number(found.facts.fiscalSign) === Number(facts.fiscalSign)) return undefined;
  const { documentNumber, fiscalSign: sign } = found.facts;
  return uncorrectable("sign-differs", { number: String(documentNumber), sign, entry: String(id) });
}
