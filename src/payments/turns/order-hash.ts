import { createHash } from "node:crypto";

/** SHA-256 (hex) of an order. A later order with the same key can be compared with it. */
export function hashOf(order: object): string {
  return createHash("sha256").update(JSON.stringify(order)).digest("hex");
}
