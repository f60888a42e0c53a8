import type { Clock } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import type { ReceiptDocument, RegisterDocument } from "../../src/model/document.ts";
import type { Register } from "../../src/registers/register.ts";
import { settlementTags } from "../../src/registers/tags/settlement.ts";
import { encodeRequisites } from "../../src/registers/tags/tlv.ts";
import { receiptDocument, receiptLine, tendersOf } from "../support/register-documents.ts";

const NAMES = ["Хлеб", "Молоко 2,5 %", "Сыр", "Масло", "Чай чёрный байховый", "Сахар", "Соль", "Мыло", "Спички", "Бумага"];

/** Ten positions, as a receipt of weekly shopping has, paid in cash. */
export function saleOfTen(): ReceiptDocument {
  return receiptDocument({
    reference: "0123456789abcdef",
    lines: NAMES.map((name) => receiptLine({ name, priceKopecks: 1_000, sumKopecks: 1_000, vatKopecks: 180 })),
    totalKopecks: 10_000,
    tenders: tendersOf({ cashKopecks: 10_000 }),
    vatTotals: [{ vat: 11, sumKopecks: 1_800 }],
  });
}

/** A time limit: a document takes less. */
const LIMIT_MS = 60_000;

/** Does what a turn does: inspects the device, then makes the document. */
export async function make(register: Register, clock: Clock, document: RegisterDocument): Promise<void> {
  const seen = await register.inspect(deadlineIn(clock, LIMIT_MS));
  if (seen.kind === "unreachable") throw new Error(seen.reason);
  const outcome = await register.perform(document, deadlineIn(clock, LIMIT_MS));
  if (outcome.kind !== "done") throw new Error(`${document.kind}: ${JSON.stringify(outcome)}`);
}

/**
 * The bytes around a command and its answer: ENQ and NAK before the command, ACK after it and after its answer; 02, length and check byte
 * around both (shtrih-protocol 1.4).
 */
const CONTROL_BYTES = 4;
const FRAME_BYTES = 3;
/** The lengths of the data of commands and answers (shtrih-protocol 5). FF46 grows with its name, FF0C with its tag. */
const BYTES = {
  openReceipt: [6, 3],
  documentTags: [6, 3],
  operation: [32, 3],
  closeReceipt: [118, 16],
  shortStatus: [5, 16],
} as const;

/** The least number of bytes of such a sale: 8D, two FF0C, ten FF46, FF45 and one 10h, with their ENQ and ACK. */
export function minimalBytes(sale: ReceiptDocument): number {
  const { place, buyer, extra } = settlementTags(sale, "1.2");
  const tags = [...place, ...buyer, ...extra];
  if (tags.length !== 2) throw new Error(`the least has two tags of the document, and this sale ${tags.length}`);
  return (
    exchange("openReceipt") +
    tags.reduce((sum, tag) => sum + exchange("documentTags", encodeRequisites([tag]).length), 0) +
    sale.lines.reduce((sum, { name }) => sum + exchange("operation", name.length), 0) +
    exchange("closeReceipt") +
    exchange("shortStatus")
  );
}

function exchange(command: keyof typeof BYTES, moreBytes = 0): number {
  const [request, answer] = BYTES[command];
  return CONTROL_BYTES + 2 * FRAME_BYTES + request + moreBytes + answer;
}
