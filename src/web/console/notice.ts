import { type Content, html } from "../html.ts";

/** Draws the result of an act; screen readers announce it. `error`: the act did nothing, and the cause is in no control of its form. */
export function noticeMarkup(said: string | undefined, kind: "done" | "error" = "done"): Content {
  return said === undefined ? undefined : html`<div class="notice" data-notice data-kind="${kind}" role="status">${said}</div>`;
}
