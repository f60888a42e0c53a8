import type { IncomingMessage, ServerResponse } from "node:http";
import { nextTurn } from "../../../kernel/clock.ts";
import { BYTE_ORDER_MARK, type Cell, csvRow } from "./csv.ts";
import type { ExportEnd, TakenRows } from "./note.ts";

/** How many rows a piece has. Pieces are read and sent one by one, so an export of a million rows needs the memory of a few pieces. */
export const PIECE_ROWS = 1_000;
/** How many rows of a piece are made, or written, in one turn of the event loop. A cell may have some thousand characters. */
export const ROWS_A_STEP = 50;

/** The last piece of a list that ended at a limit. */
export const CUT = "cut";
/** Rows of a file. `CUT`: further rows may be missing. */
export type Piece = readonly Cell[][] | typeof CUT;

interface CsvFile {
  name: string;
  head: readonly string[];
  pieces: AsyncIterable<Piece>;
  /** The last row of a file whose rows end with `CUT`. */
  cutWords: string;
  note(taken: TakenRows): Promise<void>;
}

/**
 * Sends a CSV file. Waits while the connection has too many unsent bytes, so only a few pieces are in memory. Ends early when the caller
 * disconnects. The first piece is recorded before its first byte is sent, so every file has a record. A file of several pieces gets another
 * record at its end, even when it breaks off. Rejects when a piece cannot be read or a record cannot be written.
 */
export async function sendCsv(
  request: IncomingMessage,
  response: ServerResponse,
  { name, head, pieces, cutWords, note }: CsvFile,
): Promise<void> {
  const source = pieces[Symbol.asyncIterator]();
  const first = await nextOf(source);
  const second = first === CUT ? CUT : await nextOf(source);
  const rows = first === CUT || first === undefined ? [] : first;
  await note({ rows: rows.length, end: second === undefined ? "whole" : "more" });
  response.setHeader("Content-Type", "text/csv; charset=utf-8");
  response.setHeader("Content-Disposition", `attachment; filename="${name}.csv"`);
  response.setHeader("Cache-Control", "no-store");
  response.write(BYTE_ORDER_MARK + csvRow(head));
  await writeRows(response, rows);
  if (second !== undefined) await sendRest(request, response, { second, source, note, cutWords, sent: rows.length });
  response.end();
}

async function sendRest(
  request: IncomingMessage,
  response: ServerResponse,
  rest: Pick<CsvFile, "note" | "cutWords"> & { second: Piece; source: AsyncIterator<Piece>; sent: number },
): Promise<void> {
  let rows = rest.sent;
  let end: ExportEnd = "broken off";
  let piece: Piece | undefined = rest.second;
  try {
    for (; piece !== undefined && piece !== CUT; piece = await nextOf(rest.source)) {
      await drained(response);
      if (request.destroyed || response.destroyed) return;
      await writeRows(response, piece);
      rows += piece.length;
    }
    if (piece === CUT) response.write(csvRow([rest.cutWords]));
    end = piece ?? "whole";
  } finally {
    await rest.note({ rows, end });
  }
}

async function writeRows(response: ServerResponse, piece: readonly Cell[][]): Promise<void> {
  for (let from = 0; from < piece.length && !response.destroyed; from += ROWS_A_STEP) {
    const rows = piece.slice(from, from + ROWS_A_STEP);
    response.write(rows.map(csvRow).join(""));
    await nextTurn();
  }
}

async function nextOf(source: AsyncIterator<Piece>): Promise<Piece | undefined> {
  const next = await source.next();
  return next.done === true ? undefined : next.value;
}

/** Resolves when the connection can take more bytes, or the caller has disconnected. */
function drained(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}
