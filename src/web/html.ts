import { html as escapeInto } from "hono/html";

/** A piece of a page. Only `html` makes it, so every text in it is escaped. */
export type Markup = ReturnType<typeof escapeInto> & string;

/** What may stand in a page: anything else, such as an object or a promise, is refused by tsc. */
export type Content = string | number | undefined | Markup | readonly Content[];

/**
 * Makes markup from a template. Texts are escaped, lists are joined, `undefined` leaves nothing. Write values of attributes
 * between quotes.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const made = escapeInto(strings, ...values);
  if (made instanceof Promise) throw new Error("markup is made at once, and no value of it is a promise");
  return made;
}
