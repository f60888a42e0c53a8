import type { Deadline } from "../../../kernel/deadline.ts";
import { type RawTlv, readTlvs } from "../../tags/tlv.ts";
import type { Connection } from "../session/connection.ts";
import { callWhenPrinted } from "../session/printing.ts";

type DocumentRead =
  | { kind: "document"; requisites: RawTlv[] }
  /** The device cannot give requisites, or is still printing. */
  | { kind: "not-given"; error: number }
  | { kind: "unreachable"; reason: string };

/** The limit of pieces: more than a drive's largest document has (fiscal-receipts 1.1), with one requisite per piece. */
const MAX_PIECES = 4_096;
/** How often a document is read. A piece whose answer was lost cannot be read again, so the whole document is requested again. */
const ATTEMPTS = 3;
/** The size of the document tag's head. shtrih-protocol 5.8 does not say whether the announced length includes it. */
const HEAD_BYTES = 4;

/**
 * Reads all requisites of a document to the end, because a desktop model stays in mode 1 until then (shtrih-protocol 5.8). A device that is
 * printing gives no requisites. `whilePrinting`: whether the driver waits for the end of the printing.
 */
export async function readDocument(
  connection: Connection,
  documentNumber: number,
  deadline: Deadline,
  whilePrinting: "wait" | "leave",
): Promise<DocumentRead> {
  let last: DocumentRead = { kind: "unreachable", reason: "" };
  let before: Buffer | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const read = await readOnce(connection, documentNumber, deadline, whilePrinting);
    // Two equal readings count as the whole document, even if the announced length differs.
    const whole = read.kind === "pieces" && (isWhole(read) || before?.equals(read.bytes) === true);
    if (read.kind === "pieces") before = read.bytes;
    last = read.kind === "pieces" ? requisitesOf(read, whole) : read;
    if (last.kind !== "unreachable" || deadline.remainingMs() <= 0) return last;
  }
  return last;
}

interface Pieces {
  kind: "pieces";
  bytes: Buffer;
  documentTag: number;
  /** The announced length. */
  length: number;
}

async function readOnce(
  connection: Connection,
  documentNumber: number,
  deadline: Deadline,
  whilePrinting: "wait" | "leave",
): Promise<Pieces | Exclude<DocumentRead, { kind: "document" }>> {
  const { system } = connection.passwords;
  const values = { password: system, documentNumber };
  const request =
    whilePrinting === "wait"
      ? await callWhenPrinted(connection, "requestTlv", values, deadline)
      : await connection.call("requestTlv", values, { deadline });
  if (request.kind === "error") return { kind: "not-given", error: request.error };
  if (request.kind !== "ok") return { kind: "unreachable", reason: request.reason };
  const { documentTag, length } = request.values;
  const pieces: Buffer[] = [];
  while (pieces.length < MAX_PIECES) {
    const reply = await connection.ask("readTlv", { password: system }, deadline);
    if (reply.kind === "unreachable") return reply;
    // An empty piece or an error (usually 08h) ends the document.
    if (reply.kind === "error" || reply.values.tlv.length === 0) break;
    pieces.push(reply.values.tlv);
  }
  return { kind: "pieces", bytes: Buffer.concat(pieces), documentTag, length };
}

/** Whether all pieces have arrived. On a bad line the driver may have mistaken a piece for an older answer and dropped it. */
function isWhole({ bytes, length }: Pieces): boolean {
  return Math.abs(bytes.length - length) <= HEAD_BYTES;
}

/** Returns the requisites. Removes the document's own tag, which some devices put around them. */
function requisitesOf({ bytes, documentTag, length }: Pieces, whole: boolean): DocumentRead {
  const requisites = whole ? readTlvs(bytes) : undefined;
  const [only] = requisites ?? [];
  const inside = requisites?.length === 1 && only?.tag === documentTag ? readTlvs(only.value) : requisites;
  if (inside === undefined) {
    return { kind: "unreachable", reason: `Касса отдала ${bytes.length} байт документа вместо ${length}` };
  }
  return { kind: "document", requisites: inside };
}
