import { createHmac, type KeyObject } from "node:crypto";

/** The smallest printed sign. Every sign has ten digits without leading zeros (fiscal-receipts 3.1). */
const SMALLEST_SIGN = 1_000_000_000;
const SIGNS = 2 ** 32 - SMALLEST_SIGN;

/**
 * Returns tag 1077 of an emulated drive, as printed: a keyed digest of the document's TLV bytes without 1077. The same document and secret
 * give the same sign. It is not a real drive's cryptography.
 */
export function fiscalSign(secret: KeyObject, documentTlv: Buffer): string {
  const digest = createHmac("sha256", secret).update(documentTlv).digest();
  return String(SMALLEST_SIGN + (digest.readUInt32BE(0) % SIGNS));
}

/** Returns the six bytes of tag 1077: two service bytes, then the printed number, highest byte first. */
export function signBytes(sign: string): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt32BE(Number(sign), 2);
  return bytes;
}
