import { refused, within, withinEach } from "../../call/refusal.ts";
import type { Sent } from "../../writing/read-fields.ts";

/** The maximum number of elements in a mass request (json-api 7.4). */
const MAX_ELEMENTS = 1000;
/** The deepest nesting of objects in a body (json-api 7.4). */
const MAX_DEPTH = 10;

/**
 * Returns the body of a single write. Throws a `Refusal`: 2005 if it is no object, 2004 for an array in an array, 2006 for deep nesting.
 */
export function objectBody(body: unknown): Sent {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw refused(2005);
  checkForm(body);
  return body as Sent;
}

/**
 * Returns the body of a mass write. Throws a `Refusal`: 2005 if it is no array, 1027 if it is empty, 2007 above 1000 elements. The nesting
 * errors are 2004 for an array in an array, and 2006 for too many levels.
 */
export function arrayBody(body: unknown): readonly unknown[] {
  if (!Array.isArray(body)) throw refused(2005);
  if (body.length === 0) throw refused(1027);
  if (body.length > MAX_ELEMENTS) throw refused(2007);
  checkForm(body);
  return body;
}

/**
 * Checks the form of the whole body, even of unknown fields (json-api 7.4). Objects nest at most ten deep; arrays do not count. An array in
 * an array is refused with 2004 and its field's name.
 */
function checkForm(value: unknown, above = 0, name?: string): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    withinEach(value as readonly unknown[], (each) => {
      if (Array.isArray(each)) throw refused(2004, name);
      checkForm(each, above, name);
    });
    return;
  }
  if (above === MAX_DEPTH) throw refused(2006);
  for (const [member, each] of Object.entries(value)) within(member, () => checkForm(each, above + 1, member));
}
