import { html, type Markup } from "./html.ts";

/** Draws the address of a register. In a narrow place the line breaks before the host, not within a number. */
export function shownAddress(address: string): Markup {
  const [scheme = "", ...rest] = address.split("//");
  return rest.length === 0 ? html`${address}` : html`${scheme}//<wbr>${rest.join("//")}`;
}
