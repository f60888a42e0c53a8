import { createHash } from "node:crypto";
import type { EntryKey } from "../journal/entry.ts";

/** Some registers store the id in tag 1192, which has at most sixteen characters (fiscal-receipts 1.3). */
const REFERENCE_LENGTH = 16;

const FORM = /^[0-9a-f]{16}$/;

/** Returns this server's id for a document: the same for all attempts of one key, different for different keys. */
export function referenceOf(key: EntryKey): string {
  const text = [key.appId, key.accountId, key.operation, key.documentId].join("/");
  return createHash("sha256").update(text).digest("hex").slice(0, REFERENCE_LENGTH);
}

/** Whether an id has the form of this server's ids. Other ids have it only by chance. */
export function isOwnReference(reference: string): boolean {
  return FORM.test(reference);
}
