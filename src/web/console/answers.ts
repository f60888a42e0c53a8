import { languageOf } from "../language.ts";
import type { Request, Response } from "../requests.ts";

export function languageIn(request: Request) {
  return languageOf(undefined, request.headers["accept-language"]);
}

/** The longest address that the login leads to. The address of a search for 200 Cyrillic letters has about 1,250 characters. */
const MAX_ADDRESS = 4_096;

/**
 * Returns the address if it is within the console. Undefined: any other text, an address that is too long or has a part `.` or `..`, or an
 * address with a character that no page of the console needs. So the login never leads to another site. Marks such as `*` are allowed,
 * because neither a browser nor `encodeURIComponent` escapes them.
 */
export function ownPath(text: string | undefined): string | undefined {
  if (text === undefined || text.length > MAX_ADDRESS) return undefined;
  const isOwn = /^\/console(?:[/?][\w\-./?=&%:+~*!'()]*)?$/.test(text);
  return isOwn && !text.includes("//") && !DOT_SEGMENT.test(text) ? text : undefined;
}

/**
 * Returns the page to which an act's address belongs: the page of the operation, payment or member, or the page of all registers or agents.
 * Otherwise the first page.
 */
export function pageBehind(address: string): string {
  const [, thing] = /^(\/console\/(?:registers|agents|(?:operations|payments|members)\/[^/?]+))\//.exec(address) ?? [];
  return ownPath(thing) ?? "/console/";
}

/** Returns the page that contains a form with this target address. The form of a new agent has the address of its page. */
export function pageOfForm(address: string): string {
  return /^\/console\/agents(?:\?|$)/.test(address) ? "/console/agents" : pageBehind(address);
}

/** `.` and `..` in a path. A browser removes them, and `..` also removes the part before it. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

export function away(response: Response, address: string): void {
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Location", address);
  response.statusCode = 303;
  response.end();
}

/** Sets the security policy of a page: no script, no frame, and nothing from another address. */
export function setPolicy(response: Response): void {
  response.setHeader(
    "Content-Security-Policy",
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  // With a stricter referrer policy browsers send `Origin: null` with a form. This value does not prove where the form comes from.
  response.setHeader("Referrer-Policy", "same-origin");
}
