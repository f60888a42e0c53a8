import { createHash } from "node:crypto";

/** Letters of an id that stay readable in the name of an emulator; the hash behind them tells ids apart. */
const READABLE_LENGTH = 8;
const HASH_LENGTH = 12;

/**
 * The address of a point of sale's register, passwords and options included: its own binding, else the
 * default with `{store}` filled in. Undefined when there is neither.
 */
export function registerAddress(
  binding: string | undefined,
  defaultAddress: string | undefined,
  accountId: string,
  storeId: string,
): string | undefined {
  return binding ?? defaultAddress?.replaceAll("{store}", safeName(accountId, storeId));
}

/** A name for files, the same on file systems that ignore case, different for every account and point of sale. */
function safeName(accountId: string, storeId: string): string {
  const hash = createHash("sha256").update(`${accountId}/${storeId}`).digest("hex").slice(0, HASH_LENGTH);
  const readable = (id: string) => id.slice(0, READABLE_LENGTH).toLowerCase();
  return `${readable(accountId)}-${readable(storeId)}-${hash}`;
}
