import { html as escapeInto } from "hono/html";
import { nextTurn } from "../kernel/clock.ts";
import { visible } from "../kernel/visible.ts";

/** A piece of a page. Only `html` makes it, so all its texts are escaped. */
export type Markup = ReturnType<typeof escapeInto> & string;

/** The values that a page may contain. The compiler refuses anything else, such as an object or a promise. */
export type Content = string | number | undefined | Markup | readonly Content[];

/**
 * Makes markup from a template. Escapes texts. Characters that control a terminal or reverse the direction of a text become visible.
 * Joins lists; `undefined` adds nothing. The template must quote attribute values: the escaping protects only a quoted value.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const made = escapeInto(strings, ...values.map(shown));
  if (made instanceof Promise) throw new Error("markup is made at once, and no value of it is a promise");
  return made;
}

/** Markup is an object, so a plain string is always a text to show. */
function shown(value: Content): Content {
  if (typeof value === "string") return visible(value);
  return Array.isArray(value) ? value.map(shown) : value;
}

/** How many items are drawn in one step of some milliseconds. Other work runs between two steps. */
const ITEMS_A_STEP = 50;

/** Draws a list that may have thousands of items. `itemsAStep`: set it lower for large items. */
export async function drawnInSteps<T, Drawn>(
  items: readonly T[],
  draw: (item: T) => Drawn,
  itemsAStep: number = ITEMS_A_STEP,
): Promise<Drawn[]> {
  const drawn: Drawn[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % itemsAStep === 0) await nextTurn();
    drawn.push(draw(item));
  }
  return drawn;
}
