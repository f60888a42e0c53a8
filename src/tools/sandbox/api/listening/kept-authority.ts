import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../../kernel/clock.ts";
import { Failure, messageOf } from "../../../../kernel/failure.ts";
import { tighten } from "../../../../kernel/private-file.ts";
import { type Authority, LIFE_MS, makeAuthority } from "./certificate.ts";

const FILE = "authority.pem";

/**
 * Returns the folder's authority. The first start with TLS makes it, so clients trust it once. An authority that is not valid yet, or
 * expires before a certificate signed now, is replaced. Throws a `Failure` for an unreadable file: clients that trust the old authority
 * would refuse a new authority.
 */
export async function keptAuthority(folder: string, clock: Clock): Promise<Authority> {
  const path = join(folder, FILE);
  const kept = tighten(path) ? read(path) : undefined;
  if (kept !== undefined && isInForce(kept, clock.nowMs())) return kept;
  const made = await makeAuthority(clock);
  await write(path, `${made.cert}${made.key}`);
  return made;
}

function read(path: string): Authority {
  try {
    const text = readFileSync(path, "utf8");
    const [cert = ""] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\r?\n/.exec(text) ?? [];
    const [key = ""] = /-----BEGIN RSA PRIVATE KEY-----[^-]+-----END RSA PRIVATE KEY-----\r?\n/.exec(text) ?? [];
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new Error("the key is another's");
    return { cert, key };
  } catch (error) {
    const reason = messageOf(error).split("\n", 1).join();
    const text = `${path} holds no authority (${reason}): restore it, or remove it to have another made, which clients must trust anew`;
    throw new Failure("authority-damaged", "dependency", text, { cause: error });
  }
}

function isInForce({ cert }: Authority, nowMs: number): boolean {
  const { validFrom, validTo } = new X509Certificate(cert);
  return Date.parse(validFrom) <= nowMs && Date.parse(validTo) >= nowMs + LIFE_MS;
}

/** Writes the file completely or not at all. Only this user may read the file. */
async function write(path: string, text: string): Promise<void> {
  const beside = `${path}.new`;
  const file = await open(beside, "w", 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(beside, path);
}
