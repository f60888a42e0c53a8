import { type WallTime, wallAsUtcMs } from "../kernel/moment.ts";
import type { CashDocument } from "../model/document.ts";
import type { DocumentFacts, RegisterIdentity } from "../model/facts.ts";
import type { Checkpoint, Entry } from "./entry.ts";
import type { ReadOff } from "./settlement-schema.ts";

export type Settlement = { kind: "facts"; facts: DocumentFacts } | { kind: "contradicts"; problem: string };

/**
 * Facts of a document in doubt from what a person read off its paper. Sums are those that were sent: they
 * are what the person compared. What the paper cannot be, by the checkpoint, is refused.
 *
 * `others` are done entries of the same shift: a document belongs to one operation.
 */
export function settledFacts(entry: Entry, readOff: ReadOff, identity: RegisterIdentity, others: readonly Entry[]): Settlement {
  const problem = contradiction(entry, readOff, identity, others);
  if (problem !== undefined) return { kind: "contradicts", problem };
  const { document, checkpoint } = entry;
  const { time, shiftNumber, documentNumber, fiscalSign, receiptNumber } = readOff;
  const head = { identity, time, shiftNumber, ...(document.cashierName === undefined ? {} : { cashierName: document.cashierName }) };
  if (document.kind === "cash-in" || document.kind === "cash-out") {
    const { sumKopecks } = document;
    const drawerKopecks = (checkpoint?.drawerKopecks ?? 0) + signedSum(document);
    return { kind: "facts", facts: { kind: "cash", document: document.kind, ...head, sumKopecks, drawerKopecks } };
  }
  if (document.kind === "x-report")
    return { kind: "contradicts", problem: "an X report is no document that anything could be settled with" };
  if (documentNumber === undefined || fiscalSign === undefined) {
    return { kind: "contradicts", problem: "a fiscal document has a number (ФД) and a sign (ФП): both are needed" };
  }
  const fiscal = { kind: "fiscal" as const, document: document.kind, ...head, documentNumber, fiscalSign };
  if ((document.kind !== "receipt" && document.kind !== "correction") || receiptNumber === undefined)
    return { kind: "facts", facts: fiscal };
  return {
    kind: "facts",
    facts: { ...fiscal, receipt: { number: receiptNumber, sign: document.sign, totalKopecks: document.totalKopecks } },
  };
}

function contradiction(
  { checkpoint, document }: Entry,
  readOff: ReadOff,
  identity: RegisterIdentity,
  others: readonly Entry[],
): string | undefined {
  const { documentNumber, time, shiftNumber } = readOff;
  if (checkpoint === undefined) return "nothing was sent to the register, so nothing can have been registered";
  if (identity.driveNumber !== checkpoint.driveNumber) {
    return `the register had drive ${checkpoint.driveNumber}, and the one described has ${identity.driveNumber}`;
  }
  if (documentNumber !== undefined && documentNumber <= checkpoint.lastDocumentNumber) {
    return `document ${documentNumber} is older than the operation: ${checkpoint.lastDocumentNumber} was the last one before it`;
  }
  if (documentNumber === undefined && isBefore(time, checkpoint.deviceTime))
    return `${time} is before the operation began (${checkpoint.deviceTime} on the register's clock)`;
  const earliestShift = checkpoint.shiftNumber + (document.kind === "open-shift" ? 1 : 0);
  if (shiftNumber < earliestShift) return `shift ${shiftNumber} is over: the operation belongs to shift ${earliestShift} or a later one`;
  const owner = others.find(({ facts }) => facts?.kind === "fiscal" && facts.documentNumber === documentNumber);
  return owner === undefined
    ? undefined
    : `document ${documentNumber} belongs to entry ${owner.id} (${owner.key.operation} ${owner.operation.name})`;
}

function signedSum({ kind, sumKopecks }: CashDocument): number {
  return kind === "cash-in" ? sumKopecks : -sumKopecks;
}

/** A register's clock may be set right while a doubt lasts: the time of a slip may then lie that much before the question. */
const CLOCK_SET_BACK_MS = 10 * 60_000;

/**
 * Only of slips, which have no number: documents of a drive are ordered by theirs, whatever its clock says. To the
 * minute, since paper shows no seconds.
 */
function isBefore(time: WallTime, deviceTime: Checkpoint["deviceTime"]): boolean {
  return Math.floor(wallAsUtcMs(time) / 60_000) < Math.floor((wallAsUtcMs(deviceTime) - CLOCK_SET_BACK_MS) / 60_000);
}
