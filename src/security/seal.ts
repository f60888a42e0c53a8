import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject, randomBytes, scryptSync } from "node:crypto";
import { Failure, messageOf } from "../kernel/failure.ts";
import type { Secret } from "../kernel/secret.ts";

/**
 * Encrypts texts for the database. `place` names the row of a text and must be the same when the text is opened. A sealed text that was
 * moved to another row is refused.
 */
export interface Seal {
  seal(text: string, place: string): string;
  /** Throws a Failure: `seal-key` for a text under another SECRET_KEY, `seal-broken` for a damaged text or a text of another row. */
  open(sealed: string, place: string): string;
  /**
   * Returns a keyed hash (128 bits, base64url) for finding the row of a sealed text. Within one `purpose` the same text gives the same
   * hash. Without SECRET_KEY nobody can compute the hash of a guessed text.
   */
  fingerprint(text: string, purpose: string): string;
}

const VERSION = "s1";
const IV_BYTES = 12;
const TAG_BYTES = 16;
const FINGERPRINT_BYTES = 16;

/**
 * Makes the seal of SECRET_KEY. Make only one and keep it: deriving the key takes about 50 ms. This is slow on purpose, because
 * SECRET_KEY may be a phrase that a person chose.
 */
export function createSeal(secretKey: Secret): Seal {
  // The salt is fixed: a new machine must derive the key from SECRET_KEY alone. With a key object, signing and encrypting are about ten
  // times as fast as with the bytes of the key.
  const key = createSecretKey(scryptSync(secretKey.reveal(), "fiscal-solution/seal/1", 32, { N: 16_384, r: 8, p: 1 }));
  const keyName = createHmac("sha256", key).update("name").digest("base64url").slice(0, 8);
  const fingerprintKey = createSecretKey(createHmac("sha256", key).update("fingerprint").digest());
  return {
    fingerprint: (text, purpose) =>
      createHmac("sha256", fingerprintKey).update(`${purpose}\0${text}`).digest().subarray(0, FINGERPRINT_BYTES).toString("base64url"),
    seal: (text, place) => [VERSION, keyName, encrypt(key, text, place).toString("base64url")].join("."),
    open(sealed, place) {
      const [version, name, data] = sealed.split(".");
      if (version !== VERSION || name === undefined || data === undefined) throw broken(undefined);
      if (name !== keyName) throw wrongKey();
      return decrypt(key, Buffer.from(data, "base64url"), place);
    },
  };
}

function encrypt(key: KeyObject, text: string, place: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(place, "utf8"));
  return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: KeyObject, data: Buffer, place: string): string {
  if (data.length < IV_BYTES + TAG_BYTES) throw broken(undefined);
  const decipher = createDecipheriv("aes-256-gcm", key, data.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(place, "utf8"));
  decipher.setAuthTag(data.subarray(data.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(data.subarray(IV_BYTES, data.length - TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch (error) {
    throw broken(error);
  }
}

function wrongKey(): Failure {
  return new Failure(
    "seal-key",
    "fault",
    "A stored secret was sealed under another SECRET_KEY: start with the key it was sealed under, or set the secret again",
  );
}

function broken(cause: unknown): Failure {
  const why = cause === undefined ? "it is no sealed text" : messageOf(cause);
  return new Failure("seal-broken", "fault", `A stored secret cannot be opened, it is damaged or belongs to another row (${why})`, {
    cause,
  });
}
