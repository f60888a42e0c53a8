import type { Sent } from "../writing/read-fields.ts";
import { refused } from "./refusal.ts";

/** Elements of one mass request (7.4). */
const MAX_ELEMENTS = 1000;
/** Nesting of objects in a body (7.4). */
const MAX_DEPTH = 10;

/** The body of a single write. Throws a `Refusal`: 2005 for what is no object. */
export function objectBody(body: unknown): Sent {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw refused(2005);
  if (depthOf(body, MAX_DEPTH + 1) > MAX_DEPTH) throw refused(2006);
  return body as Sent;
}

/** The body of a mass write: 2007 above 1000 elements, 2004 for arrays in it, 2006 for deep nesting. */
export function arrayBody(body: unknown): readonly unknown[] {
  if (!Array.isArray(body)) throw refused(2005);
  if (body.length === 0) throw refused(1027);
  if (body.length > MAX_ELEMENTS) throw refused(2007);
  if (body.some((element) => Array.isArray(element))) throw refused(2004);
  if (body.some((element) => depthOf(element, MAX_DEPTH + 1) > MAX_DEPTH)) throw refused(2006);
  return body;
}

/** How many objects lie inside of one another; looks no deeper than the limit. */
function depthOf(value: unknown, limit: number): number {
  if (typeof value !== "object" || value === null || limit === 0) return 0;
  const inner = Math.max(0, ...Object.values(value).map((each) => depthOf(each, limit - 1)));
  return inner + (Array.isArray(value) ? 0 : 1);
}
