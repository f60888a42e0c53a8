import { createHash } from "node:crypto";

/** The number of letters of an id that an emulator's name contains, for people to read. The hash makes the name unique. */
const READABLE_LENGTH = 8;
const HASH_LENGTH = 12;

/**
 * The address of a point of sale's register, with passwords and options: the address set for the point of sale, else
 * the default with `{store}` filled in. Undefined when neither is set.
 */
export function registerAddress(
  binding: string | undefined,
  defaultAddress: string | undefined,
  accountId: string,
  storeId: string,
): string | undefined {
  return binding ?? defaultAddress?.replaceAll("{store}", safeName(accountId, storeId));
}

/** A file name that differs for every account and point of sale, also on file systems that ignore case. */
function safeName(accountId: string, storeId: string): string {
  const hash = createHash("sha256").update(`${accountId}/${storeId}`).digest("hex").slice(0, HASH_LENGTH);
  const readable = (id: string) => id.slice(0, READABLE_LENGTH).toLowerCase();
  return `${readable(accountId)}-${readable(storeId)}-${hash}`;
}
