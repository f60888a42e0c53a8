import { createHash } from "node:crypto";

/** The number of readable characters of an id in an emulator's name. The hash makes the name unique. */
const READABLE_LENGTH = 8;
const HASH_LENGTH = 12;

/**
 * Returns the address of a point of sale's register, with passwords and options: `binding`, otherwise the default with `{store}` filled in.
 * Undefined: neither is set.
 */
export function registerAddress(
  binding: string | undefined,
  defaultAddress: string | undefined,
  accountId: string,
  storeId: string,
): string | undefined {
  return binding ?? defaultAddress?.replaceAll("{store}", safeName(accountId, storeId));
}

/** Returns a file name that differs for every account and point of sale, even on file systems that ignore case. */
function safeName(accountId: string, storeId: string): string {
  const hash = createHash("sha256").update(`${accountId}/${storeId}`).digest("hex").slice(0, HASH_LENGTH);
  const readable = (id: string) => id.slice(0, READABLE_LENGTH).toLowerCase();
  return `${readable(accountId)}-${readable(storeId)}-${hash}`;
}
