import type { WallTime } from "../kernel/moment.ts";
import { formatKopecks } from "../kernel/money.ts";

/** The content of the paper, the same for every width. */
export interface Receipt {
  /** The title of the file: `Кассовый чек № 15`. */
  title: string;
  /** The document's time by the device's clock. */
  time: WallTime;
  blocks: Block[];
  /** Text of the QR code. Only receipts have one (fiscal-receipts 2). */
  qr?: string;
}

/** Rows that belong together. If possible, a page does not end inside a block. */
export interface Block {
  /** `rule`: a rule above the block. `frame`: a frame around it. */
  edge: "rule" | "frame" | "none";
  rows: Row[];
}

/** A heading is centred. An `even` heading is broken into lines of about the same length. */
export type Row = { kind: "heading"; text: string; strong: boolean; even: boolean } | { kind: "text"; text: string } | PairRow;

export interface PairRow {
  kind: "pair";
  left: string;
  right: string;
  /** `tall`: twice the height, for the total. */
  weight: "plain" | "strong" | "tall";
  /** Columns before the label, on each line. */
  indent: number;
  /** Replaces the pair when it does not fit into one line. */
  narrow?: Row[];
}

export function block(...rows: Row[]): Block {
  return { edge: "none", rows };
}

/** Returns a block with a rule above. Without rows there is no block. */
export function ruled(...rows: Row[]): Block[] {
  return rows.length === 0 ? [] : [{ edge: "rule", rows }];
}

export function pair(left: string, right: string, options: Partial<Pick<PairRow, "weight" | "indent" | "narrow">> = {}): PairRow {
  return { kind: "pair", left, right, weight: "plain", indent: 0, ...options };
}

/** `НАЛИЧНЫМИ =834.57`. */
export function sum(label: string, kopecks: number, options: Partial<Pick<PairRow, "weight" | "indent">> = {}): PairRow {
  return pair(label, `=${formatKopecks(kopecks)}`, options);
}

export function text(content: string): Row {
  return { kind: "text", text: content };
}

export function heading(content: string, options: { strong?: boolean; even?: boolean } = {}): Row {
  return { kind: "heading", text: content, strong: options.strong ?? false, even: options.even ?? false };
}

/** `12.11.2026`. */
export function dateOf(time: WallTime): string {
  return `${time.slice(8, 10)}.${time.slice(5, 7)}.${time.slice(0, 4)}`;
}

/** `18:42`. */
export function hourOf(time: WallTime): string {
  return time.slice(11, 16);
}

/** Returns a label with date and hour at the right end, or in the next line when they do not fit. */
export function timed(label: string, time: WallTime): Row {
  const alone = pair(dateOf(time), hourOf(time));
  return label === "" ? alone : pair(label, `${dateOf(time)} ${hourOf(time)}`, { narrow: [text(label), alone] });
}
