import forge from "node-forge";
import { messageOf } from "../kernel/failure.ts";
import { withoutEnd } from "../kernel/text-end.ts";

/** The result of reading a public key. `spki`: SubjectPublicKeyInfo in DER, the stored form. */
type PublicKeyReading = { kind: "key"; spki: Buffer } | { kind: "unusable"; problem: string };

/** The shortest accepted modulus (interface 5). */
const MIN_MODULUS_BITS = 2048;
/** The longest accepted modulus. With a longer key one signature check costs whole milliseconds. */
const MAX_MODULUS_BITS = 8192;
/** The longest accepted exponent. Usual exponents are 3 and 65537. A long exponent slows every check. */
const MAX_EXPONENT_BITS = 32;
/** The longest text of a key, in characters. Even an 8192-bit certificate with long names is shorter. */
const MAX_TEXT_LENGTH = 32 * 1024;

/**
 * Reads the RSA public key that the platform sends with an installation (platform-contracts 3.4). The documented form is one line of Base64
 * of SPKI DER. Also accepted: PEM, a whole PEM text in Base64, PKCS#1, an X.509 certificate, the URL alphabet of Base64, white space,
 * missing padding, and a backslash and an n for a line end.
 */
export function readPublicKey(text: string): PublicKeyReading {
  if (text.length > MAX_TEXT_LENGTH) return unusable(`the key is longer than ${MAX_TEXT_LENGTH} characters`);
  const der = derOf(text);
  if (typeof der === "string") return unusable(der);
  const parsed = parseDer(der);
  if (typeof parsed === "string") return unusable(parsed);
  const problem = problemOf(parsed);
  if (problem !== undefined) return unusable(problem);
  const bytes = forge.asn1.toDer(forge.pki.publicKeyToAsn1(parsed)).getBytes();
  return { kind: "key", spki: Buffer.from(bytes, "binary") };
}

const ARMOUR = /-----(BEGIN|END) ([A-Z0-9 ]+)-----/g;

function derOf(text: string, depth = 0): Buffer | string {
  // A PEM text from a configuration file may contain a backslash and an n instead of each line end.
  const lines = text.replaceAll("\\r", "").replaceAll("\\n", "\n");
  if (/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(lines)) return "a private key was sent instead of a public one";
  const padded = lines.replaceAll(ARMOUR, "").replaceAll(/\s/g, "").replaceAll("-", "+").replaceAll("_", "/");
  const base64 = withoutEnd(padded, (character) => character === "=");
  if (base64 === "") return "the key is empty";
  if (!/^[A-Za-z0-9+/]+$/.test(base64) || base64.length % 4 === 1) return "the key is not Base64";
  const bytes = Buffer.from(base64, "base64");
  const wrapped = bytes.subarray(0, 11).toString("latin1") === "-----BEGIN ";
  return wrapped && depth === 0 ? derOf(bytes.toString("latin1"), depth + 1) : bytes;
}

function parseDer(der: Buffer): forge.pki.rsa.PublicKey | string {
  let tree: forge.asn1.Asn1;
  try {
    tree = forge.asn1.fromDer(forge.util.createBuffer(der.toString("binary")));
  } catch (error) {
    return `the key is not DER (${messageOf(error)})`;
  }
  return keyOf(tree) ?? certificateKey(tree) ?? nameOfOther(tree);
}

/** Returns the RSA key of an SPKI or PKCS#1 structure. Undefined for any other structure or algorithm. */
function keyOf(tree: forge.asn1.Asn1): forge.pki.rsa.PublicKey | undefined {
  try {
    return forge.pki.publicKeyFromAsn1(tree) as forge.pki.rsa.PublicKey;
  } catch {
    // Neither SPKI nor PKCS#1. The caller tries a certificate next.
    return undefined;
  }
}

function certificateKey(tree: forge.asn1.Asn1): forge.pki.rsa.PublicKey | undefined {
  try {
    return forge.pki.certificateFromAsn1(tree).publicKey as forge.pki.rsa.PublicKey;
  } catch {
    // Not a certificate. The caller reports the problem.
    return undefined;
  }
}

/** Describes a structure without an RSA key. For an SPKI the text names the algorithm, if its identifier can be read. */
function nameOfOther(tree: forge.asn1.Asn1): string {
  const algorithm = childOf(childOf(tree, 0), 0);
  if (algorithm?.type !== forge.asn1.Type.OID || typeof algorithm.value !== "string") return "the key is no RSA public key";
  const oid = oidOf(algorithm.value);
  return oid === undefined
    ? "the key is no RSA public key"
    : `the key is no RSA public key (its algorithm is ${OTHER_ALGORITHMS[oid] ?? oid})`;
}

/** The longest object identifier that is read, in bytes. Real identifiers have about ten. */
const MAX_OID_BYTES = 20;

function oidOf(bytes: string): string | undefined {
  if (bytes.length > MAX_OID_BYTES) return undefined;
  try {
    return forge.asn1.derToOid(bytes);
  } catch {
    // The library cannot read an identifier with a part of more than 53 bits. The text for the problem then names no algorithm.
    return undefined;
  }
}

const OTHER_ALGORITHMS: Record<string, string> = {
  "1.2.840.10045.2.1": "elliptic curve",
  "1.2.840.113549.1.1.10": "RSA-PSS",
  "1.2.840.10040.4.1": "DSA",
  "1.3.101.112": "Ed25519",
};

function childOf(node: forge.asn1.Asn1 | undefined, index: number): forge.asn1.Asn1 | undefined {
  return Array.isArray(node?.value) ? node.value[index] : undefined;
}

function problemOf({ n, e }: forge.pki.rsa.PublicKey): string | undefined {
  const bits = n.bitLength();
  if (n.signum() <= 0 || isEven(n)) return "the key's modulus is no RSA modulus";
  if (bits < MIN_MODULUS_BITS) return `the RSA key has ${bits} bits, at least ${MIN_MODULUS_BITS} are needed`;
  if (bits > MAX_MODULUS_BITS) return `the RSA key has ${bits} bits, at most ${MAX_MODULUS_BITS} are taken`;
  if (e.signum() <= 0 || isEven(e) || e.bitLength() < 2 || e.bitLength() > MAX_EXPONENT_BITS) return "the key's exponent is not usable";
  return undefined;
}

function isEven(value: forge.jsbn.BigInteger): boolean {
  return !value.testBit(0);
}

function unusable(problem: string): PublicKeyReading {
  return { kind: "unusable", problem };
}
