import { createHash } from "node:crypto";
import type { EntryKey } from "../journal/entry.ts";

/** Tag 1192 has room for sixteen characters (fiscal-receipts 1.3). */
const REFERENCE_LENGTH = 16;

const FORM = /^[0-9a-f]{16}$/;

/** What a register is told of our id: the same for every attempt of one key, different for different keys. */
export function referenceOf(key: EntryKey): string {
  const text = [key.appId, key.accountId, key.operation, key.documentId].join("/");
  return createHash("sha256").update(text).digest("hex").slice(0, REFERENCE_LENGTH);
}

/** Whether an id on a document has the form of ours: somebody else's may have it only by chance. */
export function isOurReference(reference: string): boolean {
  return FORM.test(reference);
}
