import { z } from "zod";
import { boundedList } from "../kernel/list-schema.ts";

/** The largest number of keys in one set. An issuer has a current key, a previous key and some future keys. */
const MAX_KEYS = 100;
const MAX_BODY_LENGTH = 64 * 1024;

const rsaKeySchema = z.object({
  kty: z.literal("RSA"),
  kid: z.string().min(1).max(200),
  n: z.string().min(300).max(2_000),
  e: z.string().min(1).max(20),
});

const keySetSchema = z.object({ keys: boundedList(z.object({ kty: z.string().max(20) }).loose(), { max: MAX_KEYS }) });

/**
 * Returns the usable keys of a set: RSA keys for signatures, of at least 2048 bits. Throws an error with the reason when the body is too
 * long, is no key set, or has no usable key.
 */
export function keySetOf(body: string): { keys: { kty: "RSA"; kid: string; n: string; e: string; alg: "RS256"; use: "sig" }[] } {
  if (body.length > MAX_BODY_LENGTH) throw new Error(`the key set has more than ${MAX_BODY_LENGTH} characters`);
  const set = keySetSchema.safeParse(JSON.parse(body));
  if (!set.success) throw new Error("the answer is no key set");
  const keys = set.data.keys.flatMap((key) => {
    const read = rsaKeySchema.safeParse(key);
    const forSigning = (key.use === undefined || key.use === "sig") && (key.alg === undefined || key.alg === "RS256");
    return read.success && forSigning && bitsOf(read.data.n) >= 2_048 ? [{ ...read.data, alg: "RS256" as const, use: "sig" as const }] : [];
  });
  if (keys.length === 0) throw new Error("the key set has no usable key");
  return { keys };
}

function bitsOf(modulus: string): number {
  const bytes = Buffer.from(modulus, "base64url");
  const first = bytes.findIndex((byte) => byte !== 0);
  if (first < 0) return 0;
  return (bytes.length - first) * 8 - (Math.clz32(bytes[first] ?? 0) - 24);
}
