import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

/** Returns hexadecimal digits made from the seed and the purpose, the same after a restart. */
export function digitsOf(seed: number, ...purpose: readonly (string | number)[]): string {
  return createHash("sha256")
    .update(JSON.stringify([seed, ...purpose]))
    .digest("hex");
}

export function uuidOf(seed: number, ...purpose: readonly (string | number)[]): string {
  const digits = digitsOf(seed, ...purpose);
  return [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`, digits.slice(20, 32)].join("-");
}

/** Returns a whole number below `limit`. `limit` is at most 2^48. */
export function numberOf(limit: number, seed: number, ...purpose: readonly (string | number)[]): number {
  return Number.parseInt(digitsOf(seed, ...purpose).slice(0, 12), 16) % limit;
}

const CODE_DIGITS = 32;

/** Returns the text of a dynamic SBP QR code. The code is valid for exactly this amount. */
export function qrText(code: { bank: string; amountKopecks: number; seed: number; payment: string }): string {
  const name = digitsOf(code.seed, "code", code.payment).slice(0, CODE_DIGITS).toUpperCase();
  const address = `https://qr.nspk.ru/${name}?type=02&bank=${code.bank}&sum=${code.amountKopecks}&cur=RUB`;
  const check = (crc32(Buffer.from(address)) & 0xffff).toString(16).toUpperCase().padStart(4, "0");
  return `${address}&crc=${check}`;
}
