import { createPublicKey, verify } from "node:crypto";
import forge from "node-forge";
import { systemClock } from "../../src/kernel/clock.ts";
import { DEFAULT_SIGNATURE_SCHEME, KeyCache, signatureSchemeNamed, verifySignature } from "../../src/security/signature.ts";
import { makeSigningKey, signBody } from "../../src/tools/sandbox/caller/signing-key.ts";
import { median, type Part, type Row, rounded, withFloor } from "./row.ts";

const BODY = Buffer.from(
  JSON.stringify({ name: "00031", positions: Array.from({ length: 10 }, (_, n) => ({ name: `Товар ${n}`, price: "54.90" })) }),
);
const ROUNDS = 9;
const CHECKS_PER_ROUND = { crypto: 400, server: 400, forge: 20 };

/**
 * One check of one request by the server, compared with node:crypto alone. Also the check by node-forge, which the server uses only to
 * read keys.
 */
export const signatureBench: Part = {
  prefix: "signature.",
  async run(): Promise<Row[]> {
    const key = makeSigningKey();
    const spki = Buffer.from(key.publicKey, "base64");
    const signature = Buffer.from(signBody(BODY, key), "base64");
    const cryptoUs = measureUs(CHECKS_PER_ROUND.crypto, cryptoCheck(spki, signature));
    const serverUs = measureUs(CHECKS_PER_ROUND.server, serverCheck(spki, signature));
    const forgeUs = measureUs(CHECKS_PER_ROUND.forge, forgeCheck(spki, signature));
    return [
      { name: "signature.node-crypto", value: rounded(cryptoUs), unit: "µs" },
      withFloor({ name: "signature.server", value: rounded(serverUs), unit: "µs" }, cryptoUs),
      withFloor({ name: "signature.node-forge", value: rounded(forgeUs), unit: "µs" }, cryptoUs),
    ];
  },
};

function cryptoCheck(spki: Buffer, signature: Buffer): () => boolean {
  const key = createPublicKey({ key: spki, format: "der", type: "spki" });
  return () => verify("RSA-SHA256", BODY, key, signature);
}

/** Checks the header's value with the stored key, as a request is proved. */
function serverCheck(spki: Buffer, signature: Buffer): () => boolean {
  const keys = new KeyCache();
  const scheme = signatureSchemeNamed(DEFAULT_SIGNATURE_SCHEME);
  if (scheme === undefined) throw new Error("the table of signature schemes has no default row");
  const value = signature.toString("base64");
  return () => verifySignature(scheme, keys.of(spki), BODY, value);
}

function forgeCheck(spki: Buffer, signature: Buffer): () => boolean {
  const key = forge.pki.publicKeyFromAsn1(forge.asn1.fromDer(spki.toString("binary"))) as forge.pki.rsa.PublicKey;
  const text = BODY.toString("binary");
  const sign = signature.toString("binary");
  return () => {
    const digest = forge.md.sha256.create();
    digest.update(text);
    return key.verify(digest.digest().getBytes(), sign);
  };
}

/** The median of the rounds, in microseconds for a check. The first round warms up. */
function measureUs(checks: number, check: () => boolean): number {
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const startedMs = systemClock.monotonicMs();
    for (let count = 0; count < checks; count += 1) if (!check()) throw new Error("a good signature was refused");
    rounds.push(((systemClock.monotonicMs() - startedMs) * 1000) / checks);
  }
  return median(rounds.slice(1));
}
