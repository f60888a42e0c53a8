import { createHash } from "node:crypto";

/** SHA-256 (hex) of an order, for comparison with a later order of the same key. */
export function hashOf(order: object): string {
  return createHash("sha256").update(JSON.stringify(order)).digest("hex");
}
