import { createHash } from "node:crypto";

/** SHA-256 (hex) of what was ordered, so that a later order with the same key can be compared. */
export function hashOf(order: object): string {
  return createHash("sha256").update(JSON.stringify(order)).digest("hex");
}
