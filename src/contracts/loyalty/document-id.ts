import { PLATFORM_ID } from "../../model/operation.ts";

const UUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Finds the UUID that follows the type of the document in the address of a sale or return. */
const OWN_ID = /\/(?:retaildemand|retailsalesreturn)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-z-])/i;

/** Names a document by id or address. Both may be absent or empty. */
interface Reference {
  id?: string | null | undefined;
  href?: string | null | undefined;
}

/**
 * Returns the id of a sale or return: the stated `id` or, without it, the UUID that `OWN_ID` finds in the address. No other part of the
 * address counts, because it may be the same for all documents. With such a part as id, the server would take all documents for one, and
 * refuse every document after the first. Undefined: neither `id` nor address contains an id.
 */
export function ownId({ id, href }: Reference): string | undefined {
  return id ? oneSpelling(id) : OWN_ID.exec(decoded(href ?? ""))?.[1]?.toLowerCase();
}

/**
 * Returns the id of the document that a reference names. Undefined: it names none. A return may name its sale by address alone. It must
 * still move the points of the sale, so the last part of an address without a UUID counts too.
 */
export function referredId({ id, href }: Reference): string | undefined {
  return id ? oneSpelling(id) : (uuidIn(href) ?? lastPart(href));
}

/** A UUID may come in capital or small letters. Both spellings name one document, which must not be booked twice. */
function oneSpelling(id: string): string {
  return id.replace(UUIDS, (uuid) => uuid.toLowerCase());
}

/**
 * Returns the last UUID of the path or, if the path has none, of the whole address. The address of a page that people open has the id after
 * `?` or `#`.
 */
function uuidIn(href: string | null | undefined): string | undefined {
  if (href == null) return undefined;
  const address = decoded(href);
  const path = address.split(/[?#]/)[0] ?? "";
  return (path.match(UUIDS) ?? address.match(UUIDS))?.at(-1)?.toLowerCase();
}

/** Returns the last part of the path that is not empty, if it has the form of the platform's ids. */
function lastPart(href: string | null | undefined): string | undefined {
  const parts =
    decoded(href ?? "")
      .trim()
      .split(/[?#]/)[0]
      ?.split("/") ?? [];
  const last = parts.findLast((part) => part !== "") ?? "";
  return PLATFORM_ID.test(last) ? last : undefined;
}

/** Returns the address with its percent-encoded ASCII characters decoded. Ids have no other characters. */
function decoded(href: string): string {
  return href.replaceAll(/%([0-7][0-9a-f])/gi, (_text, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
