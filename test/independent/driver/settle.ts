import { codeOf, Fields } from "../protocol/bytes.ts";
import { type DriveStatus, type RegisteredDocument, readClosedReceipt } from "./answers.ts";
import { LinkClosed } from "./byte-line.ts";
import { ExchangeFailed } from "./exchange.ts";
import { operations, type ReceiptKind } from "./requests.ts";
import { type Receipt, Refusal, type Till } from "./till.ts";

export type Settled =
  | { readonly outcome: "answered" | "asked"; readonly number: number; readonly sign: number }
  | { readonly outcome: "still-open" | "not-registered" };

type Expected = { readonly kind: ReceiptKind; readonly totalKopecks: number };

/**
 * Registers a receipt. When the answer to FF45 is lost, it asks the device what became of the receipt, and never sends FF45 again
 * (shtrih-protocol 12.2).
 */
export const registerCarefully = async (till: Till, receipt: Receipt, totalKopecks: number, answerMs: number): Promise<Settled> => {
  const before = await till.driveStatus();
  await till.prepare(receipt);
  try {
    const closed = await till.finish(receipt.closing, answerMs);
    return { outcome: "answered", number: closed.number, sign: closed.sign };
  } catch (error) {
    if (!(error instanceof ExchangeFailed || error instanceof LinkClosed)) throw error;
    if (error instanceof LinkClosed) await till.reconnect();
    return settle(till, before, { kind: receipt.kind, totalKopecks });
  }
};

export const settle = async (till: Till, before: DriveStatus, expected: Expected): Promise<Settled> => {
  for (const answer of await till.settleLine()) {
    if (codeOf(answer) !== "FF45" || answer[2] !== 0) continue;
    const { number, sign } = readClosedReceipt(new Fields(answer, 3));
    if (number > before.lastDocument) return { outcome: "answered", number, sign };
  }
  await till.untilIdle();
  const now = await till.driveStatus();
  if (now.number !== before.number) throw new Error("another drive");
  for (let number = before.lastDocument + 1; number <= now.lastDocument; number++) {
    const found = await find(till, number);
    if (found !== undefined && matches(found, expected)) return { outcome: "asked", number, sign: found.sign };
  }
  return { outcome: (await till.shortStatus()).mode === 8 ? "still-open" : "not-registered" };
};

const find = async (till: Till, number: number): Promise<RegisteredDocument | undefined> => {
  try {
    return await till.findDocument(number);
  } catch (error) {
    if (error instanceof Refusal && error.code === 0x08) return undefined;
    throw error;
  }
};

const matches = (found: RegisteredDocument, { kind, totalKopecks }: Expected): boolean =>
  found.type === 3 && found.operation === operations[kind] && found.totalKopecks === totalKopecks;
