import { html as escapeInto } from "hono/html";
import { visible } from "../kernel/visible.ts";

/** A piece of a page. Only `html` makes it, so all texts in it are escaped. */
export type Markup = ReturnType<typeof escapeInto> & string;

/** The values that may be put into a page. The compiler refuses anything else, such as an object or a promise. */
export type Content = string | number | undefined | Markup | readonly Content[];

/** Makes markup from a template. Texts are escaped, and what would steer a terminal or turn the writing around is spelled out. Lists are joined, and `undefined` leaves nothing. Write attribute values in quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const made = escapeInto(strings, ...values.map(shown));
  if (made instanceof Promise) throw new Error("markup is made at once, and no value of it is a promise");
  return made;
}

/** Markup is an object, so that only texts from outside are strings. */
function shown(value: Content): Content {
  if (typeof value === "string") return visible(value);
  return Array.isArray(value) ? value.map(shown) : value;
}
