import { setRoute } from "../../../http/access-log.ts";
import type { Request, Response } from "../../requests.ts";
import { BYTE_ORDER_MARK, type Cell, csvRow } from "./csv.ts";

/** The number of rows that are read and sent at once, so that an export of a million rows needs the memory of one piece. */
export const PIECE_ROWS = 1_000;

/**
 * Sends a CSV file. `pieces` yields rows; the next piece is read after the caller has taken the one before. Ends early when the caller goes
 * away.
 */
export async function sendCsv(
  request: Request,
  response: Response,
  { name, head, pieces }: { name: string; head: readonly string[]; pieces: AsyncIterable<readonly Cell[][]> },
): Promise<void> {
  setRoute(response, `GET /console/${name}.csv`);
  response.setHeader("Content-Type", "text/csv; charset=utf-8");
  response.setHeader("Content-Disposition", `attachment; filename="${name}.csv"`);
  response.setHeader("Cache-Control", "no-store");
  response.write(BYTE_ORDER_MARK + csvRow(head));
  for await (const rows of pieces) {
    if (request.destroyed || response.destroyed) return;
    if (!response.write(rows.map(csvRow).join(""))) await drained(response);
  }
  response.end();
}

/** Resolves when the caller has taken what was written, or has gone. */
function drained(response: Response): Promise<void> {
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
