import { signBody } from "../../../sandbox/caller/signing-key.ts";
import { inTurn } from "../../exchanges/check-result.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group } from "../rule.ts";
import { expectDone, expectRefused } from "./answers.ts";

const BASE = "fiscal/signature/accepted";
const REFUSAL = 'status 412 and {"errors":[{"error":"…","code":12017,"error_message":"…"}]}; nothing is registered';
const MEND_VERIFY =
  "Verify X-Platform-Fiscal-Signature before anything of the body is looked at: RSASSA-PKCS1-v1_5 with SHA-256 over the bytes as they came, by the key from additional.fiscalApi.token (Base64 of SPKI DER). Every failure is 412 and 12017.";

/** Signatures of fiscal requests (platform-contracts 4.2, interface 5). */
export const signaturesGroup: Group = {
  id: "fiscal/signature",
  needs: ["vendor/activation/status"],
  rules: [
    {
      id: BASE,
      title: "a request signed with the installation's key is served",
      source: "seed",
      clause: "seed, Authentication; interface 5; the scheme is decided there",
      expected:
        "PUT {fiscal base}/1/openshift on a fresh account: 200. The signature is RSASSA-PKCS1-v1_5 with SHA-256 over the raw body, standard Base64, in X-Platform-Fiscal-Signature; X-Platform-Fiscal-Account-Id is additional.fiscalApi.id of the activation",
      mend: "Store the public key (Base64 of SPKI DER on one line, no PEM armour) under additional.fiscalApi.id at the activation, and verify over the untouched bytes: no middleware may parse the body first. A refusal with 999 means that the signature was taken and a field was not: the point of sale is spelt retailstore here, as in the platform's samples, and retailStore elsewhere.",
      check: async (scene) => {
        const till = await scene.newTill();
        const result = expectDone((await till.begin()) ?? (await till.send("retaildemand", till.saleBody())));
        await till.leave();
        return result;
      },
    },
    {
      id: "fiscal/signature/missing",
      title: "an unsigned request is refused",
      source: "seed",
      clause: "seed, Authentication 3 and Errors; platform-contracts 4.7",
      expected: REFUSAL,
      mend: MEND_VERIFY,
      needs: ["fiscal/error/shape", BASE],
      check: (scene) => refused(scene, null),
    },
    {
      id: "fiscal/signature/nonsense",
      title: "a signature that is none is refused",
      source: "seed",
      clause: "seed, Authentication 3 and Errors; platform-contracts 4.7",
      expected: REFUSAL,
      mend: `${MEND_VERIFY} A value that cannot be decoded is a failure too, never a 500.`,
      needs: ["fiscal/error/shape", BASE],
      check: (scene) =>
        inTurn(
          ["", "QUJD", "%%% not Base64 %%%"],
          (text) => `signature "${text}"`,
          (text) => refused(scene, text),
        ),
    },
    {
      id: "fiscal/signature/wrong-key",
      title: "a signature by another key is refused",
      source: "seed",
      clause: "seed, Authentication 3 and Errors; platform-contracts 4.7",
      expected: REFUSAL,
      mend: MEND_VERIFY,
      needs: ["fiscal/error/shape", BASE],
      check: async (scene) => {
        const till = await scene.till();
        const { operation, body } = till.smallest();
        const bytes = Buffer.from(JSON.stringify(body));
        const signature = signBody(bytes, scene.services.makeKey());
        return expectRefused(await till.send(operation, bytes, { signature }), 412, 12017);
      },
    },
    {
      id: "fiscal/signature/other-bytes",
      title: "a signature over another body is refused",
      source: "seed",
      clause: "seed, Authentication 3 and Errors; platform-contracts 4.7",
      expected: `${REFUSAL}. The signature is the right key's, over a body with another name`,
      mend: `${MEND_VERIFY} It must cover the whole body.`,
      needs: ["fiscal/error/shape", BASE],
      check: async (scene) => {
        const till = await scene.till();
        const { operation, body } = till.smallest();
        const signature = till.sign(Buffer.from(JSON.stringify({ ...body, name: "00009" })));
        return expectRefused(await till.send(operation, body, { signature }), 412, 12017);
      },
    },
    {
      id: "fiscal/signature/before-content",
      title: "the signature is checked before the content",
      source: "decided",
      clause: "interface 5, Order; platform-contracts 4.2",
      expected:
        "412 and 12017 for an unsigned body that is no JSON, and for an unsigned {}: strangers learn nothing of how bodies are read",
      mend: "Check in this order: account id known, installation active, size and type, signature, JSON, fields.",
      needs: ["fiscal/signature/missing"],
      check: (scene) =>
        inTurn(
          ["{ broken", "{}"],
          (text) => `unsigned body ${text}`,
          async (text) => {
            const till = await scene.till();
            return expectRefused(await till.send("retaildemand", Buffer.from(text), { signature: null }), 412, 12017);
          },
        ),
    },
    {
      id: "fiscal/signature/raw-bytes",
      title: "the signature covers the bytes as they came",
      source: "decided",
      clause: "interface 5, Signature; platform-contracts 4.2",
      expected: "200 for a body with white space, escaped letters and a line break at its end, signed as it is",
      mend: "Verify over the received buffer: not over JSON.stringify of the parsed body, and not over a decoded string.",
      needs: [BASE],
      check: async (scene) => {
        const till = await scene.till();
        const { operation, body } = till.smallest();
        const text = JSON.stringify(body, undefined, 3).replace(/[а-я]/g, escaped);
        return expectDone(await till.send(operation, Buffer.from(`  ${text}\r\n`)));
      },
    },
    {
      id: "fiscal/signature/encodings",
      title: "the signature may also be URL-safe, unpadded or hexadecimal",
      source: "decided",
      clause: "interface 5, Signature; platform-contracts 4.2",
      expected: "200 for the same signature in URL-safe Base64 without padding, and in hexadecimal: how it is written is not documented",
      mend: "Decode both alphabets of Base64, with and without padding, and hex digits of the key's length.",
      needs: [BASE],
      check: (scene) =>
        inTurn(
          ["base64url", "hex"] as const,
          (encoding) => `signature in ${encoding}`,
          async (encoding) => {
            const till = await scene.till();
            const { operation, body } = till.smallest();
            const bytes = Buffer.from(JSON.stringify(body));
            const signature = Buffer.from(till.sign(bytes), "base64").toString(encoding);
            return expectDone(await till.send(operation, bytes, { signature }));
          },
        ),
    },
    {
      id: "fiscal/signature/gzip",
      title: "a packed body is signed unpacked",
      source: "decided",
      clause: "interface 5, Order; platform-contracts 7, Raw body",
      expected: "200 for a body with Content-Encoding: gzip whose signature is over the unpacked bytes",
      mend: "Unpack first (bounded), then verify over what came out.",
      needs: [BASE],
      check: async (scene) => {
        const till = await scene.till();
        const { operation, body } = till.smallest();
        return expectDone(await till.send(operation, body, { gzip: true }));
      },
    },
  ],
};

async function refused(scene: Scene, signature: string | null) {
  const till = await scene.till();
  const { operation, body } = till.smallest();
  return expectRefused(await till.send(operation, body, { signature }), 412, 12017);
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
