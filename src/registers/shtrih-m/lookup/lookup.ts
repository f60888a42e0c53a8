import type { Deadline } from "../../../kernel/deadline.ts";
import type { RegisterIdentity } from "../../../model/facts.ts";
import type { LookUp } from "../../register.ts";
import { DOCUMENT_TYPES, readFound } from "../commands/documents.ts";
import { NO_SUCH_DATA, wordsOf } from "../refusals/refusals.ts";
import type { Connection } from "../session/connection.ts";
import { callWhenPrinted } from "../session/printing.ts";
import { type Found, factsOf, referenceOf } from "./facts.ts";
import { readDocument } from "./tlv.ts";

/**
 * Returns a document of the drive: the answer of FF0A and, if available, all requisites. A device that is printing gives no requisites.
 * `whilePrinting`: whether the driver waits for the end of the printing before it reads the requisites.
 */
export async function lookUp(
  connection: Connection,
  identity: RegisterIdentity,
  documentNumber: number,
  deadline: Deadline,
  whilePrinting: "wait" | "leave" = "wait",
): Promise<LookUp> {
  // Some models answer no question about documents while they print, so `callWhenPrinted` repeats the question.
  const reply = await callWhenPrinted(connection, "findDocument", { password: connection.passwords.system, documentNumber }, deadline);
  if (reply.kind === "undelivered" || reply.kind === "unknown") return { kind: "unreachable", reason: reply.reason };
  if (reply.kind === "error") {
    if (reply.error === NO_SUCH_DATA) return { kind: "absent" };
    return { kind: "unreachable", reason: `Касса не отдаёт документ № ${documentNumber}: ${wordsOf(reply.error)}` };
  }
  const { type, time, fiscalSign, more } = reply.values;
  const document = documentOf(type);
  if (document === undefined) return { kind: "foreign", what: NAMES[type] ?? `document of type ${type}` };
  const found: Found = { document, documentNumber, fiscalSign, time, body: readFound(type, more) };

  const read = await readDocument(connection, documentNumber, deadline, whilePrinting);
  if (read.kind === "unreachable") return read;
  const requisites = read.kind === "document" ? read.requisites : undefined;
  const facts = factsOf(found, requisites, identity);
  if (facts === undefined) return { kind: "unreachable", reason: `Касса не отдаёт реквизиты документа № ${documentNumber}` };
  const reference = requisites === undefined ? undefined : referenceOf(document, requisites);
  return reference === undefined ? { kind: "found", facts } : { kind: "found", facts, reference };
}

function documentOf(type: number): Found["document"] | undefined {
  switch (type) {
    case DOCUMENT_TYPES.openShift:
      return "open-shift";
    case DOCUMENT_TYPES.closeShift:
      return "close-shift";
    case DOCUMENT_TYPES.receipt:
      return "receipt";
    case DOCUMENT_TYPES.correction:
      return "correction";
    case DOCUMENT_TYPES.stateReport:
      return "state-report";
    default:
      return undefined;
  }
}

/** Names in the log for documents that the driver never makes. */
const NAMES: Record<number, string> = {
  [DOCUMENT_TYPES.registration]: "registration",
  [DOCUMENT_TYPES.strictForm]: "form of strict accounting",
  [DOCUMENT_TYPES.closeDrive]: "closing of the drive",
  [DOCUMENT_TYPES.reRegistration]: "change of registration",
  [DOCUMENT_TYPES.strictFormCorrection]: "correction of a form",
};
