import { createHash } from "node:crypto";

/** SHA-256 (hex) of an order, which is stored with the call that sends it. */
export function hashOf(order: object): string {
  return createHash("sha256").update(JSON.stringify(order)).digest("hex");
}
