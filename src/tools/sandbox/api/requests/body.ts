import { refused, within, withinEach } from "../../call/refusal.ts";
import type { Sent } from "../../writing/read-fields.ts";

/** Elements of one mass request (7.4). */
const MAX_ELEMENTS = 1000;
/** Nesting of objects in a body (7.4). */
const MAX_DEPTH = 10;

/** The body of a single write. Throws a `Refusal`: 2005 for what is no object. */
export function objectBody(body: unknown): Sent {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw refused(2005);
  checkForm(body);
  return body as Sent;
}

/** The body of a mass write: 2007 above 1000 elements, 2004 for arrays in it, 2006 for deep nesting. */
export function arrayBody(body: unknown): readonly unknown[] {
  if (!Array.isArray(body)) throw refused(2005);
  if (body.length === 0) throw refused(1027);
  if (body.length > MAX_ELEMENTS) throw refused(2007);
  checkForm(body);
  return body;
}

/**
 * The form of everything in a body, what nobody reads included (7.4): objects nest at most ten deep, arrays between
 * them do not count, and no array lies in an array (2004, with the field that holds it).
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
