import { scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Chance } from "../kernel/clock.ts";
import type { Secret } from "../kernel/secret.ts";

/** One try takes about a tenth of a second: unnoticed by a person, expensive for a guesser. */
const COST = { N: 32_768, r: 8, p: 1 };
/** The memory limit of scrypt, which needs 128 × N × r bytes (32 MiB) and a little more. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const FORM = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/;

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/** Returns a salted hash, `scrypt$N$r$p$SALT$KEY`. */
export async function hashPassword(password: Secret, chance: Pick<Chance, "bytes">): Promise<string> {
  const salt = Buffer.from(chance.bytes(SALT_BYTES));
  const key = await derive(password.reveal(), salt, KEY_BYTES, { ...COST, maxmem: MAX_MEMORY_BYTES });
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64url"), key.toString("base64url")].join("$");
}

/** Whether the text is a hash of `hashPassword` with the cost `COST`. */
export function isPasswordHash(text: string): boolean {
  const [, n, r, p] = FORM.exec(text) ?? [];
  return Number(n) === COST.N && Number(r) === COST.r && Number(p) === COST.p;
}

/**
 * Whether the password has this hash. The check takes the same time for wrong and right passwords. A text without the form and cost of
 * `hashPassword` gives false immediately.
 */
export async function checkPassword(password: Secret, hash: string): Promise<boolean> {
  const [, , , , salt = "", key = ""] = FORM.exec(hash) ?? [];
  if (!isPasswordHash(hash)) return false;
  const found = await derive(password.reveal(), Buffer.from(salt, "base64url"), KEY_BYTES, { ...COST, maxmem: MAX_MEMORY_BYTES });
  return timingSafeEqual(found, Buffer.from(key, "base64url"));
}
