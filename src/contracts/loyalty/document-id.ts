import { PLATFORM_ID } from "../../model/operation.ts";

const UUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Finds the id in the address of a sale or return. */
const OWN_ID = /\/(?:retaildemand|retailsalesreturn)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-z-])/i;

/** Names a document by id or address. Both may be absent or empty. */
interface Reference {
  id?: string | null | undefined;
  href?: string | null | undefined;
}

/**
 * Returns a document's own id from its body or, if the body has none, from its address. In an address only the UUID at the document's place
 * counts. Another part of the address may be the same for all documents. With such an id the server would refuse every document after the
 * first. Undefined: the document has no id.
 */
export function ownId({ id, href }: Reference): string | undefined {
  return id ? oneSpelling(id) : OWN_ID.exec(decoded(href ?? ""))?.[1]?.toLowerCase();
}

/**
 * Returns the id of the document that a reference names. A return may name its sale by address alone. Such a return must still take back
 * the points, so the last part of an address without a UUID counts too.
 */
export function referredId({ id, href }: Reference): string | undefined {
  return id ? oneSpelling(id) : (uuidIn(href) ?? lastPart(href));
}

/** Some databases write UUIDs in capital letters. Both spellings name one document, which must not be booked twice. */
function oneSpelling(id: string): string {
  return id.replace(UUIDS, (uuid) => uuid.toLowerCase());
}

/** Returns the last UUID of the path or, if the path has none, of the whole address: the address of a page has the id in its parameters. */
function uuidIn(href: string | null | undefined): string | undefined {
  if (href == null) return undefined;
  const address = decoded(href);
  const path = address.split(/[?#]/)[0] ?? "";
  return (path.match(UUIDS) ?? address.match(UUIDS))?.at(-1)?.toLowerCase();
}

/** Returns the last part of the path, without slashes at its end, if it may be an id. */
function lastPart(href: string | null | undefined): string | undefined {
  const parts =
    decoded(href ?? "")
      .trim()
      .split(/[?#]/)[0]
      ?.split("/") ?? [];
  const last = parts.findLast((part) => part !== "") ?? "";
  return PLATFORM_ID.test(last) ? last : undefined;
}

/** Returns the address with ASCII characters decoded. Ids have no other characters. */
function decoded(href: string): string {
  return href.replaceAll(/%([0-7][0-9a-f])/gi, (_text, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
