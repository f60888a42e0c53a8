import { absentMoney, fromHex, money, uint } from "../protocol/bytes.ts";
import { cp1251 } from "../protocol/text.ts";

export const cashierPassword = 1;
export const systemPassword = 30;

export type ReceiptKind = "income" | "income-return" | "outcome" | "outcome-return";

/** The types of 8Dh have another order than the operations of FF46 (shtrih-protocol 5.7). */
const receiptTypes: Record<ReceiptKind, number> = { income: 0, outcome: 1, "income-return": 2, "outcome-return": 3 };
export const operations: Record<ReceiptKind, number> = { income: 1, "income-return": 2, outcome: 3, "outcome-return": 4 };

export type Position = {
  readonly name: string;
  readonly quantityMillionths: number;
  readonly priceKopecks: number;
  readonly totalKopecks?: number;
  readonly rate: number;
  readonly method?: number;
  readonly subject?: number;
};

export type Closing = { readonly cashKopecks?: number; readonly cardKopecks?: number; readonly taxSystem: number };

/** A command with the password that follows its code (shtrih-protocol 4.1). */
export const command = (code: string, password: number, ...parts: readonly Uint8Array[]): Buffer =>
  Buffer.concat([fromHex(code), uint(password, 4), ...parts]);

export const openReceipt = (kind: ReceiptKind): Buffer => command("8D", cashierPassword, uint(receiptTypes[kind], 1));

export const position = (kind: ReceiptKind, item: Position): Buffer =>
  command(
    "FF46",
    cashierPassword,
    uint(operations[kind], 1),
    uint(item.quantityMillionths, 6),
    money(item.priceKopecks),
    item.totalKopecks === undefined ? absentMoney : money(item.totalKopecks),
    absentMoney,
    Buffer.of(item.rate, 0, item.method ?? 4, item.subject ?? 1),
    cp1251(item.name).subarray(0, 128),
  );

export const closeReceipt = ({ cashKopecks = 0, cardKopecks = 0, taxSystem }: Closing): Buffer =>
  command(
    "FF45",
    cashierPassword,
    money(cashKopecks),
    money(cardKopecks),
    ...Array.from({ length: 14 }, () => money(0)),
    uint(0, 1),
    ...Array.from({ length: 6 }, () => money(0)),
    uint(taxSystem, 1),
  );
