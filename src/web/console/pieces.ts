import { doneInSteps } from "../../kernel/work/in-steps.ts";
import type { ListedPayment } from "../../payments/listed-payment.ts";
import { auditCells, auditSearchOf } from "./audit-page.ts";
import type { Cell } from "./export/csv.ts";
import { PIECE_ROWS, ROWS_A_STEP } from "./export/send.ts";
import type { ListFilter } from "./filter.ts";
import type { ConsoleContext } from "./layout.ts";
import { operationCells, searchOf } from "./operations-page.ts";
import { paymentCells, paymentSearchOf } from "./payments/payments-page.ts";
import type { ConsoleServices } from "./services.ts";

/** Yields the rows of an export, piece by piece. Each piece begins after the previous piece's last row. */
export async function* operationPieces(
  { journal }: Pick<ConsoleServices, "journal">,
  { zone }: ConsoleContext,
  filter: ListFilter,
): AsyncIterable<readonly Cell[][]> {
  const wanted = searchOf(filter);
  let before = wanted.before;
  for (;;) {
    const piece = await journal.heads.search({ ...wanted, ...(before === undefined ? {} : { before }), limit: PIECE_ROWS });
    yield await doneInSteps(piece, ROWS_A_STEP, async (entry) => operationCells(entry, zone));
    const last = piece.at(-1);
    if (last === undefined || piece.length < PIECE_ROWS) return;
    before = { acceptedAtMs: last.acceptedAtMs, id: last.id };
  }
}

export async function* paymentPieces(
  { payments }: Pick<ConsoleServices, "payments">,
  { zone }: ConsoleContext,
  filter: ListFilter,
): AsyncIterable<readonly Cell[][]> {
  const wanted = paymentSearchOf(filter);
  let after = wanted.after;
  for (;;) {
    const piece: ListedPayment[] = await payments.search({
      ...wanted,
      ...(after === undefined ? {} : { after }),
      limit: PIECE_ROWS,
    });
    yield await doneInSteps(piece, ROWS_A_STEP, async (payment) => paymentCells(payment, zone));
    const last = piece.at(-1);
    if (last === undefined || piece.length < PIECE_ROWS) return;
    after = { createdAtMs: last.createdAtMs, id: last.id };
  }
}

export async function* auditPieces(
  { audit }: Pick<ConsoleServices, "audit">,
  { zone }: ConsoleContext,
  filter: ListFilter,
): AsyncIterable<readonly Cell[][]> {
  const wanted = auditSearchOf(filter);
  let beforeId = wanted.beforeId;
  for (;;) {
    const piece = await audit({ ...wanted, ...(beforeId === undefined ? {} : { beforeId }), limit: PIECE_ROWS });
    yield await doneInSteps(piece, ROWS_A_STEP, async (line) => auditCells(line, zone));
    beforeId = piece.at(-1)?.id;
    if (piece.length < PIECE_ROWS) return;
  }
}
