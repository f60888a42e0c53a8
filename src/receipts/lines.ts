import type { Block, PairRow, Receipt, Row } from "./rows.ts";

/** A line of the page. Its text begins in the first column and is at most as long as the number of columns. */
export interface Line {
  text: string;
  /** Additional shift of a centred text to the right, in columns: 0 or a half. */
  shift: number;
  weight: "plain" | "strong" | "tall";
}

/** Lines that should stay on one page. */
export interface Group {
  edge: Block["edge"];
  lines: Line[];
}

/**
 * Lays out the receipt in columns (fiscal-receipts 7.3). Lines break between words; only a word longer than a line is broken. A value
 * without room beside its label goes to the right end of the next line, unless its row names other rows instead (`PairRow.narrow`). `clean`
 * turns a text into characters that the font can draw, one a column.
 */
export function linesOf(receipt: Pick<Receipt, "blocks">, columns: number, clean: (text: string) => string): Group[] {
  return receipt.blocks.map((block) => groupOf(block, columns, clean));
}

function groupOf({ edge, rows }: Block, columns: number, clean: (text: string) => string): Group {
  const inner = edge === "frame" ? columns - 2 * FRAME_COLUMNS : columns;
  const lines = rows.flatMap((row) => rowLines(row, inner, clean));
  if (edge === "rule") return { edge, lines: [plain("-".repeat(columns)), ...lines] };
  if (edge === "frame") return { edge, lines: lines.map((line) => ({ ...line, text: " ".repeat(FRAME_COLUMNS) + line.text })) };
  return { edge, lines };
}

const FRAME_COLUMNS = 1;

function rowLines(row: Row, columns: number, clean: (text: string) => string): Line[] {
  switch (row.kind) {
    case "heading":
      return headingLines(clean(row.text), columns, row.even).map((text) => centred(text, columns, row.strong ? "strong" : "plain"));
    case "text":
      return wrap(clean(row.text), columns).map(plain);
    case "pair":
      return pairLines(row, columns, clean);
  }
}

/** Makes an even heading as narrow as possible without an additional line, so that no line has only one short word. */
function headingLines(text: string, columns: number, even: boolean): string[] {
  const lines = wrap(text, columns);
  if (!even) return lines;
  for (let narrower = columns - 1; narrower > 0; narrower--) {
    const candidate = wrap(text, narrower);
    if (candidate.length > lines.length) return wrap(text, narrower + 1);
  }
  return lines;
}

function pairLines(row: PairRow, columns: number, clean: (text: string) => string): Line[] {
  const { weight, indent, narrow } = row;
  const left = clean(row.left);
  const right = clean(row.right);
  const line = (text: string): Line => ({ text, shift: 0, weight });
  if (indent + left.length + 1 + right.length <= columns) return [line(justified(" ".repeat(indent) + left, right, columns))];
  if (narrow !== undefined) return narrow.flatMap((instead) => rowLines(instead, columns, clean));
  const labels = wrap(left, columns - indent).map((text) => " ".repeat(indent) + text);
  const last = labels.at(-1) ?? "";
  if (last.length + 1 + right.length <= columns) return [...labels.slice(0, -1), justified(last, right, columns)].map(line);
  return [...labels, ...wrap(right, columns).map((text) => text.padStart(columns))].map(line);
}

function plain(text: string): Line {
  return { text, shift: 0, weight: "plain" };
}

function centred(text: string, columns: number, weight: Line["weight"]): Line {
  const before = (columns - text.length) / 2;
  return { text: " ".repeat(Math.floor(before)) + text, shift: before % 1, weight };
}

function justified(left: string, right: string, columns: number): string {
  return left + " ".repeat(columns - left.length - right.length) + right;
}

/** Breaks the text at spaces. A word longer than a line fills the current line and continues in the next. */
function wrap(text: string, columns: number): string[] {
  if (text.length <= columns) return [text];
  const lines: string[] = [];
  let line = "";
  for (let word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length <= columns) {
      line += ` ${word}`;
      continue;
    }
    if (line !== "") {
      const room = columns - line.length - 1;
      if (word.length > columns && room > 0) {
        line += ` ${word.slice(0, room)}`;
        word = word.slice(room);
      }
      lines.push(line);
    }
    for (; word.length > columns; word = word.slice(columns)) lines.push(word.slice(0, columns));
    line = word;
  }
  return [...lines, line];
}
