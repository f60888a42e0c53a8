import { constants, createHash, createPublicKey, type KeyObject, verify } from "node:crypto";

/**
 * A way of signing a body. The platform does not document how it signs (platform-contracts 4.2). There is one scheme for each combination
 * of padding, digest, signed content and its text encoding, and one for JWS.
 */
export type SignatureScheme = DetachedScheme | JwsScheme;

interface DetachedScheme {
  kind: "detached";
  name: string;
  padding: Padding;
  digest: (typeof DIGESTS)[number];
  content: keyof typeof CONTENTS;
}

/** The header's value is a compact JWS. Its payload is the body, or is empty. */
interface JwsScheme {
  kind: "jws";
  name: "jws";
}

/** Interface 5: RSASSA-PKCS1-v1_5, SHA-256, over the raw body. */
export const DEFAULT_SIGNATURE_SCHEME = "pkcs1-sha256-body";

/** The setting that tries every scheme. Never use it in production. */
export const PAIRING = "pair";

type Padding = "pkcs1" | "pss";

const PADDINGS: readonly Padding[] = ["pkcs1", "pss"];

const DIGESTS = ["sha256", "sha1", "sha384", "sha512"] as const;

/** The contents that may have been signed: the received body itself or a text made from it, the likeliest first. */
const CONTENTS = {
  body: (body: Buffer) => body,
  "body-utf16le": (body: Buffer) => Buffer.from(body.toString("utf8"), "utf16le"),
  "body-base64": (body: Buffer) => Buffer.from(body.toString("base64")),
  "sha256-bytes": (body: Buffer) => createHash("sha256").update(body).digest(),
  "sha256-hex": (body: Buffer) => Buffer.from(createHash("sha256").update(body).digest("hex")),
  "sha256-base64": (body: Buffer) => Buffer.from(createHash("sha256").update(body).digest("base64")),
} as const;

export const SIGNATURE_SCHEMES: readonly SignatureScheme[] = [...detachedSchemes(), { kind: "jws", name: "jws" }];

/** The names of all schemes, for the setting. `PAIRING` is not among them. */
export const SIGNATURE_SCHEME_NAMES: readonly string[] = SIGNATURE_SCHEMES.map((scheme) => scheme.name);

export function signatureSchemeNamed(name: string): SignatureScheme | undefined {
  return SIGNATURE_SCHEMES.find((scheme) => scheme.name === name);
}

/** Whether the value is a signature of the body by the key, under this scheme. Never throws, not even for a malformed value. */
export function verifySignature(scheme: SignatureScheme, key: KeyObject, body: Buffer, value: string): boolean {
  if (value.length > MAX_VALUE_LENGTH) return false;
  return scheme.kind === "jws" ? verifyJws(key, body, value) : verifyDetached(scheme, key, body, value);
}

/** Returns the first scheme that matches. The default is tried first. Undefined: no scheme matches. */
export function pair(key: KeyObject, body: Buffer, value: string): SignatureScheme | undefined {
  return SIGNATURE_SCHEMES.find((scheme) => verifySignature(scheme, key, body, value));
}

/**
 * Parsed public keys by their SPKI bytes, because parsing costs more than checking. The least recently used keys are dropped at the
 * limit.
 */
export class KeyCache {
  readonly #limit: number;
  readonly #keys = new Map<string, KeyObject>();

  constructor(limit: number = DEFAULT_KEY_LIMIT) {
    this.#limit = limit;
  }

  /** Throws the error of node:crypto when the bytes are not SPKI. The bytes were checked before they were stored. */
  of(spki: Buffer): KeyObject {
    const name = spki.toString("base64");
    const key = this.#keys.get(name) ?? createPublicKey({ key: spki, format: "der", type: "spki" });
    this.#keys.delete(name);
    this.#keys.set(name, key);
    if (this.#keys.size > this.#limit) {
      const [oldest] = this.#keys.keys();
      if (oldest !== undefined) this.#keys.delete(oldest);
    }
    return key;
  }

  get size(): number {
    return this.#keys.size;
  }

  close(): void {
    this.#keys.clear();
  }
}

/** The largest number of cached keys. A key takes about 2 KiB. With more active installations some keys are parsed again. */
const DEFAULT_KEY_LIMIT = 1_000;

/** The longest value that is read. A JWS may repeat the whole body in Base64, but headers are limited to 16 KiB. */
const MAX_VALUE_LENGTH = 16_384;

function detachedSchemes(): DetachedScheme[] {
  const rows: DetachedScheme[] = [];
  for (const content of Object.keys(CONTENTS) as (keyof typeof CONTENTS)[]) {
    for (const padding of PADDINGS) {
      for (const digest of DIGESTS) rows.push({ kind: "detached", name: `${padding}-${digest}-${content}`, padding, digest, content });
    }
  }
  return rows;
}

function verifyDetached(scheme: DetachedScheme, key: KeyObject, body: Buffer, value: string): boolean {
  const signature = decodeSignature(value, signatureBytesOf(key));
  return signature !== undefined && verifyBytes(scheme.digest, CONTENTS[scheme.content](body), key, scheme.padding, signature);
}

/** Checks a JWS with RS256 to RS512 or PS256 to PS512 (RFC 7518), as its header names it. Other algorithms are refused. */
function verifyJws(key: KeyObject, body: Buffer, value: string): boolean {
  const [header = "", payload = "", signature = "", ...rest] = value.trim().split(".");
  if (rest.length > 0 || signature === "") return false;
  const algorithm = /^(RS|PS)(256|384|512)$/.exec(algorithmOf(header) ?? "");
  const signatureBytes = decodeSignature(signature, signatureBytesOf(key));
  if (algorithm === null || signatureBytes === undefined) return false;
  if (payload !== "" && !Buffer.from(payload, "base64url").equals(body)) return false;
  const signed = Buffer.from(`${header}.${payload === "" ? body.toString("base64url") : payload}`);
  return verifyBytes(`sha${algorithm[2]}`, signed, key, algorithm[1] === "RS" ? "pkcs1" : "pss", signatureBytes);
}

function algorithmOf(header: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
    if (typeof parsed !== "object" || parsed === null || !("alg" in parsed)) return undefined;
    return typeof parsed.alg === "string" ? parsed.alg : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * PKCS1 is node:crypto's default padding for an RSA key. This padding is not passed, because passing it takes almost as long as the check
 * itself.
 */
function verifyBytes(digest: string, content: Buffer, key: KeyObject, padding: Padding, signature: Buffer): boolean {
  if (padding === "pkcs1") return verify(digest, content, key, signature);
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
  return verify(digest, content, { key, ...pss }, signature);
}

/**
 * Reads a signature: standard Base64, the URL-safe alphabet, missing padding or hex (interface 5). Hex digits are also valid Base64, but
 * only one reading has `length` bytes, the length of the key. Undefined for any other text.
 */
export function decodeSignature(value: string, length: number): Buffer | undefined {
  const text = value.trim();
  if (text.length === length * 2 && /^[0-9a-fA-F]+$/.test(text)) return Buffer.from(text, "hex");
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === length ? bytes : undefined;
}

function signatureBytesOf(key: KeyObject): number {
  return Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
}
