import { html, type Markup } from "./html.ts";

/** Shows the address of a register, which in a narrow place breaks before the host and not within a number. */
export function shownAddress(address: string): Markup {
  const [scheme = "", ...rest] = address.split("//");
  return rest.length === 0 ? html`${address}` : html`${scheme}//<wbr>${rest.join("//")}`;
}
