import type { Deadline } from "../../kernel/deadline.ts";
import { type RawTlv, readTlvs } from "../tags/tlv.ts";
import type { Connection } from "./connection.ts";
import { callWhenPrinted } from "./printing.ts";

export type DocumentRead =
  | { kind: "document"; requisites: RawTlv[] }
  /** The device cannot give requisites, or still prints. */
  | { kind: "untold"; error: number }
  | { kind: "unreachable"; reason: string };

/** Largest document of a drive (fiscal-receipts 1.1) in pieces of one requisite each, with room to spare. */
const MAX_PIECES = 4_096;
/** A piece whose answer was lost is gone: the document is then asked for anew. */
const ATTEMPTS = 3;

/**
 * All requisites of a document, read to the end: a desktop model stays in mode 1 until then (reference 5.8).
 * While the device prints it gives none: then it is waited for, or left alone.
 */
export async function readDocument(
  connection: Connection,
  documentNumber: number,
  deadline: Deadline,
  whilePrinting: "wait" | "leave",
): Promise<DocumentRead> {
  let last: DocumentRead = { kind: "unreachable", reason: "" };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    last = await readOnce(connection, documentNumber, deadline, whilePrinting);
    if (last.kind !== "unreachable" || deadline.remainingMs() <= 0) return last;
  }
  return last;
}

async function readOnce(
  connection: Connection,
  documentNumber: number,
  deadline: Deadline,
  whilePrinting: "wait" | "leave",
): Promise<DocumentRead> {
  const { system } = connection.passwords;
  const values = { password: system, documentNumber };
  const request =
    whilePrinting === "wait"
      ? await callWhenPrinted(connection, "requestTlv", values, deadline)
      : await connection.call("requestTlv", values, { deadline });
  if (request.kind === "error") return { kind: "untold", error: request.error };
  if (request.kind !== "ok") return { kind: "unreachable", reason: request.reason };
  const { documentTag, length } = request.values;
  const pieces: Buffer[] = [];
  while (pieces.length < MAX_PIECES) {
    const asked = await connection.ask("readTlv", { password: system }, deadline);
    if (asked.kind === "unreachable") return asked;
    // Error 08h, or nothing, ends the document.
    if (asked.kind === "error" || asked.values.tlv.length === 0) break;
    pieces.push(asked.values.tlv);
  }
  return requisitesOf(Buffer.concat(pieces), documentTag, length);
}

/** The requisites, taken out of the document's own tag where a device gives that too. */
function requisitesOf(bytes: Buffer, documentTag: number, length: number): DocumentRead {
  const requisites = readTlvs(bytes);
  const [only] = requisites ?? [];
  const inside = requisites?.length === 1 && only?.tag === documentTag ? readTlvs(only.value) : requisites;
  if (inside === undefined) {
    return { kind: "unreachable", reason: `Касса отдала ${bytes.length} байт документа вместо ${length}` };
  }
  return { kind: "document", requisites: inside };
}
