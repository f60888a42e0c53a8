import type { Block, Receipt, Row } from "../receipts/receipt.ts";
import { html, type Markup } from "./html.ts";

export interface DrawnPaper {
  receipt: Receipt;
  /** Black strips of the QR code on a square of `size` modules. */
  qr?: { size: number; strips: readonly { column: number; row: number; width: number }[] };
}

/** Returns a receipt as markup, from the same data as the PDF. */
export function receiptMarkup({ receipt, qr }: DrawnPaper): Markup {
  return html`<article class="receipt" data-receipt lang="ru" aria-label="${receipt.title}">${receipt.blocks.map(blockMarkup)}${
    qr === undefined ? undefined : qrMarkup(qr)
  }</article>`;
}

function blockMarkup({ edge, rows }: Block): Markup {
  return html`<section class="${edge}">${rows.map(rowMarkup)}</section>`;
}

function rowMarkup(row: Row): Markup {
  switch (row.kind) {
    case "heading":
      return html`<div class="heading${row.strong ? " strong" : ""}">${row.text}</div>`;
    case "text":
      return html`<div>${row.text}</div>`;
    case "pair":
      return html`<div class="pair ${row.weight}${row.indent > 0 ? " indent" : ""}"><span>${row.left}</span><span>${row.right}</span></div>`;
  }
}

function qrMarkup({ size, strips }: NonNullable<DrawnPaper["qr"]>): Markup {
  const path = strips.map(({ column, row, width }) => `M${column} ${row}h${width}v1h-${width}z`).join("");
  return html`<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="QR" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"></rect><path d="${path}" fill="#000"></path></svg>`;
}
