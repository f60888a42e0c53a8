import type { Entry, Move } from "../../journal/entry.ts";
import { formatKopecks } from "../../kernel/money.ts";
import { formatQuantity } from "../../kernel/quantity.ts";
import { cashierNameOf } from "../../model/cashier.ts";
import { isTrade, type RegisterDocument, SETTLEMENT_SIGNS, type TradeDocument } from "../../model/document.ts";
import type { DocumentFacts } from "../../model/facts.ts";
import type { Known, KnownGoods } from "../../model/known.ts";
import type { Operation } from "../../model/operation.ts";
import { TAX_SYSTEMS, VAT_RATES } from "../../model/tax.ts";
import { describeCheckpoint, describeFacts, describeMove, deviceWords } from "./describe.ts";
import { instant, tableOf } from "./rows.ts";
import { tendersOf } from "./words/amounts.ts";
import { doubtText } from "./words/reason-words.ts";

/** Returns lines about an entry: its owner, the document as sent, the outcome, and the moves. */
export function showLines(entry: Entry, moves: readonly Move[]): string[] {
  return [
    ...namedRows(headRows(entry)),
    "",
    ...documentLines(entry.document),
    "",
    ...namedRows(outcomeRows(entry)),
    "What happened (UTC):",
    ...moves.map((move) => `  ${describeMove(move)}`),
    `What has to be done: journal explain ${entry.id}`,
  ];
}

type Row = readonly [name: string, value: string | undefined];

function headRows(entry: Entry): Row[] {
  const { id, key, operation, idType, register, paper, state, attempt, acceptedAtMs } = entry;
  return [
    ["Entry", `${id}, ${state}${attempt === 1 ? "" : ` in attempt ${attempt}`}, accepted ${instant(acceptedAtMs)} (UTC)`],
    ["Operation", `${key.operation} ${operation.name}, ${operation.moment} at the till`],
    ["Document", `${key.documentId} (${idType}), of shift ${operation.shift.id}`],
    ["Account", `${key.accountId} of ${key.appId}`],
    ["Store", operation.storeId],
    ["Register", `${register}, paper ${paper}`],
    ["Known", knownOf(operation)],
  ];
}

/** Returns the platform's data for the operation, or a remark that there was none. Undefined: the operation needs no such data. */
function knownOf(operation: Operation): string | undefined {
  if (operation.known !== undefined) return `${knownWords(operation.known)}, by the platform's JSON API`;
  const isTradeOperation = operation.kind === "sale" || operation.kind === "sales-return";
  return isTradeOperation ? "nothing by the platform's JSON API: the settings decided" : undefined;
}

/** Returns the values that came from the platform, not from the request or the settings. */
function knownWords({ cashier, taxSystem, goods }: Known): string {
  const cards = goods.flatMap((card, at) => (card === null ? [] : [`position ${at + 1} ${cardWords(card)}`]));
  return [
    ...(taxSystem === undefined ? [] : [`point of sale taxed ${TAX_SYSTEMS[taxSystem].label}`]),
    ...(cashier === undefined ? [] : [`cashier ${cashierNameOf(cashier) ?? cashier.id}`]),
    ...cards,
  ].join(", ");
}

function cardWords({ kind, taxSystem, unit, marked }: KnownGoods): string {
  const words = [
    kind,
    taxSystem === undefined ? undefined : `taxed ${TAX_SYSTEMS[taxSystem].label}`,
    unit?.name,
    marked === true ? "with marks" : undefined,
  ];
  return words.filter((word) => word !== undefined).join(" ") || "has a card";
}

function documentLines(document: RegisterDocument): string[] {
  const head: Row[] = [
    ["Sent as", titleOf(document)],
    ["Cashier", document.cashierName],
    ["Our id", document.reference],
    ["Address", document.address],
    ["Place", document.place],
  ];
  if (isTrade(document)) return [...namedRows([...head, ...tradeRows(document)]), ...positions(document)];
  return namedRows([...head, ["Sum", "sumKopecks" in document ? formatKopecks(document.sumKopecks) : undefined]]);
}

function titleOf(document: RegisterDocument): string {
  return isTrade(document) ? `${document.kind}, ${SETTLEMENT_SIGNS[document.sign]}` : document.kind;
}

function tradeRows(document: TradeDocument): Row[] {
  const { taxSystem, totalKopecks, roundingKopecks, tenders, vatTotals, buyerContact, senderEmail, originalSign } = document;
  return [
    ["Corrects", document.kind === "correction" ? correctionWords(document.basis) : undefined],
    ["Of the ФП", originalSign],
    ["Tax system", TAX_SYSTEMS[taxSystem].label],
    ["Total", formatKopecks(totalKopecks)],
    ["Rounding", roundingKopecks === 0 ? undefined : formatKopecks(roundingKopecks)],
    ["Paid", tendersOf(tenders)],
    ...vatTotals.map(({ vat, sumKopecks }): Row => [VAT_RATES[vat].label, formatKopecks(sumKopecks)]),
    ["Buyer", buyerContact],
    ["Sender", senderEmail],
  ];
}

function correctionWords(basis: (TradeDocument & { kind: "correction" })["basis"]): string {
  return `what was settled on ${basis.settledOn}, ${basis.kind === "order" ? `by order ${basis.orderNumber}` : "on one's own account"}`;
}

function positions({ lines }: TradeDocument): string[] {
  const rows = lines.map(({ name, quantityMillionths, unit, priceKopecks, sumKopecks, vat, mark, unreadMark }, at) => [
    String(at + 1),
    name,
    `${formatQuantity(quantityMillionths)} ${unit.label}`,
    formatKopecks(priceKopecks),
    formatKopecks(sumKopecks),
    VAT_RATES[vat].label,
    `${unreadMark === undefined ? "" : `(not read: ${unreadMark}) `}${mark ?? ""}`,
  ]);
  return ["", ...tableOf([["#", "NAME", "QUANTITY", "PRICE", "SUM", "VAT", "MARK"], ...rows])];
}

function outcomeRows(entry: Entry): Row[] {
  const { facts, refusal, doubt, checkpoint } = entry;
  return [
    ...(facts === undefined ? [] : factsRows(facts)),
    ["Refused", refusal === undefined ? undefined : `${[refusal.code, refusal.parameter].filter(Boolean).join(" ")}${deviceWords(entry)}`],
    ["In doubt", doubt === undefined ? undefined : doubtText(doubt)],
    ["Sent after", checkpoint === undefined ? undefined : describeCheckpoint(checkpoint)],
  ];
}

function factsRows(facts: DocumentFacts): Row[] {
  const { sellerName, inn, serialNumber, registrationNumber } = facts.identity;
  const fiscal = facts.kind === "fiscal" ? facts : undefined;
  const { receipt, change } = fiscal ?? {};
  return [
    ["Made", describeFacts(facts)],
    ["Register", `ЗН ${serialNumber}, РН ${registrationNumber}, ${sellerName}, ИНН ${inn}`],
    ["Receipt", receipt === undefined ? undefined : `${receipt.number} of the shift, total ${formatKopecks(receipt.totalKopecks)}`],
    [
      "Change",
      change === undefined ? undefined : `${formatKopecks(change.changeKopecks)} of ${formatKopecks(change.receivedKopecks)} received`,
    ],
    ["Drawer", facts.kind === "cash" ? `${formatKopecks(facts.drawerKopecks)} afterwards` : undefined],
  ];
}

function namedRows(rows: readonly Row[]): string[] {
  const known = rows.filter((row): row is readonly [string, string] => row[1] !== undefined && row[1] !== "");
  return known.map(([name, value]) => `${name.padEnd(NAME_WIDTH)}${value}`);
}

const NAME_WIDTH = 12;
