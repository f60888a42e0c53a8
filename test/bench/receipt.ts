import { nextTurn, systemClock } from "../../src/kernel/clock.ts";
import { createReceiptPrinter, type ReceiptOrder, type ReceiptPrinter } from "../../src/receipts/draw.ts";
import { createReceiptPrinter as createPlainPrinter } from "./plain-receipt.ts";
import { orderOf } from "./receipt-orders.ts";
import { plainSaleRows } from "./receipt-sale.ts";
import { median, medianRow, type Part, type Row, rounded, withFloor } from "./row.ts";

/** Each round draws in both ways, one directly after the other, so that a busy machine affects both. */
const ROUNDS = 9;
const OURS_A_ROUND = 40;
const PLAIN_A_ROUND = 4;
const WARM_UP = 60;
/** A long receipt, and one with the largest allowed number of positions. */
const LONG = [250, 1_000];
const BLOCK_ROUNDS = 60;
const BLOCK_WARM_UP = 20;

/** A receipt as PDF, zip and Base64, warm, on one core, compared with the plain use of pdfkit for the same page. */
export const receiptBench: Part = {
  prefix: "receipt.",
  async run(note): Promise<Row[]> {
    const [ours, plain] = [createReceiptPrinter(), createPlainPrinter()];
    const rows: Row[] = [];
    for (const positions of [10, 100]) rows.push(...(await drawingRows(positions, ours, plain, note)));
    const { pdf, zip } = await ours.drawReceipt(orderOf(10));
    rows.push({ name: "receipt.10-positions.pdf", value: rounded(pdf.length / 1024), unit: "KiB" });
    rows.push({ name: "receipt.10-positions.base64", value: rounded(zip.toString("base64").length / 1024), unit: "KiB" });
    for (const positions of LONG) rows.push(await blockRow(positions, ours, note));
    return [...rows, ...(await plainSaleRows(note))];
  },
};

/** The ratio says what share of the plain drawing's time is used. */
async function drawingRows(positions: number, ours: ReceiptPrinter, plain: ReceiptPrinter, note: (text: string) => void): Promise<Row[]> {
  const order = orderOf(positions);
  await drawnMs(ours, order, WARM_UP);
  await drawnMs(plain, order, PLAIN_A_ROUND);
  const name = `receipt.${positions}-positions.draw`;
  const rounds: (Row & { ratio: number })[] = [];
  const plainMs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const oursMs = median(await drawnMs(ours, order, OURS_A_ROUND));
    const plainlyMs = median(await drawnMs(plain, order, PLAIN_A_ROUND));
    plainMs.push(plainlyMs);
    rounds.push(withFloor({ name, value: rounded(oursMs), unit: "ms" }, plainlyMs));
  }
  const row = medianRow(rounds);
  note(`${positions} positions: ${row.value} ms, plainly ${row.floor} ms, ${rounded((row.floor ?? row.value) / row.value)} times faster`);
  return [row, { name: `receipt.${positions}-positions.plain`, value: rounded(median(plainMs)), unit: "ms" }];
}

/** The milliseconds of each drawing, with packing and encoding. */
async function drawnMs(printer: ReceiptPrinter, order: ReceiptOrder, times: number): Promise<number[]> {
  const all: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const startedMs = systemClock.monotonicMs();
    const { zip } = await printer.drawReceipt(order);
    zip.toString("base64");
    all.push(systemClock.monotonicMs() - startedMs);
  }
  return all;
}

/** The longest turn of the event loop while a long receipt is drawn. */
async function blockRow(positions: number, printer: ReceiptPrinter, note: (text: string) => void): Promise<Row> {
  const order = orderOf(positions);
  for (let time = 0; time < BLOCK_WARM_UP; time += 1) await printer.drawReceipt(order);
  const blocks: number[] = [];
  for (let round = 0; round < BLOCK_ROUNDS; round += 1) blocks.push(await longestTurnMs(() => printer.drawReceipt(order)));
  note(`${positions} positions: ${rounded(median(blocks))} ms at once`);
  return { name: `receipt.${positions}-positions.block`, value: rounded(median(blocks)), unit: "ms" };
}

async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let [done, longestMs] = [false, 0];
  const watch = async () => {
    while (!done) {
      const startedMs = systemClock.monotonicMs();
      await nextTurn();
      longestMs = Math.max(longestMs, systemClock.monotonicMs() - startedMs);
    }
  };
  const watching = watch();
  await work().finally(() => {
    done = true;
  });
  await watching;
  return longestMs;
}
