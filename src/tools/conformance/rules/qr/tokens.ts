import { pause } from "../../../../kernel/clock.ts";
import type { QrTokenChanges } from "../../../sandbox/caller/qr-token.ts";
import { type CheckResult, held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { type Sent, statusOf } from "../../exchanges/sent.ts";
import type { KeyChoice } from "../../play/qr-side.ts";
import type { QrTill } from "../../play/qr-till.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group } from "../rule.ts";
import { qrErrorOf } from "./answers.ts";

const MEND_VERIFY =
  "Verify in this order: RS256 and nothing else, kid in the key set, signature, iss, exp and iat with 60 s of skew, id not used before.";
/** The pause between two tries while the server does not know a token's key. */
const RETRY_MS = 1_000;

/** Rules about the tokens that prove QR calls (platform-contracts 5.2). */
export const qrTokensGroup: Group = {
  id: "qr/token",
  needs: ["vendor/activation/status", "qr/error/shape"],
  rules: [
    {
      id: "qr/token/accepted",
      title: "a right token is taken",
      source: "public",
      clause: "platform-contracts 5.2",
      expected:
        "any answer but 401 to a state call with an RS256 token by a key of the set, within half a minute of the first one: a server may read the keys only that often",
      mend: "Read the keys from the address that the run prints (with this project's server: QR_JWKS_URL), expect the run's issuer (--issuer), and name the claim id, not jti.",
      check: async (scene) => {
        const till = await scene.qrTill();
        const sent = await untilKnown(scene, till, "current");
        return statusOf(sent) === 401 ? broken(sent, "the token was refused") : held;
      },
    },
    {
      id: "qr/token/missing",
      title: "a call without a token is refused",
      source: "public",
      clause: "platform-contracts 5.2",
      expected: "401 and code 401 without Authorization, and with one that is no Bearer token",
      mend: MEND_VERIFY,
      needs: ["qr/token/accepted"],
      check: async (scene) => {
        const till = await scene.qrTill();
        return inTurn(
          [null, "Basic dXNlcjpwYXNz", "Bearer nonsense"],
          (authorization) => (authorization === null ? "no Authorization" : `Authorization ${authorization}`),
          async (authorization) => refused(await till.send("state", till.newPayment(), { authorization })),
        );
      },
    },
    {
      id: "qr/token/algorithm-none",
      title: "a token without a signature is refused",
      source: "public",
      clause: "platform-contracts 5.2",
      expected: "401 for alg none with an empty signature: the header of a token must not choose how it is checked",
      mend: "Pin the algorithm to RS256 in the call of the JWT library.",
      needs: ["qr/token/accepted"],
      check: (scene) => refusedWith(scene, { header: { alg: "none" } }, "alg none"),
    },
    {
      id: "qr/token/algorithm-hmac",
      title: "a token signed with the public key as a secret is refused",
      source: "public",
      clause: "platform-contracts 5.2",
      expected: "401 for alg HS256 made with the public key, which everybody can read at the key address",
      mend: "Pin the algorithm to RS256 in the call of the JWT library.",
      needs: ["qr/token/accepted"],
      check: (scene) => refusedWith(scene, { header: { alg: "HS256" } }, "alg HS256"),
    },
    {
      id: "qr/token/no-kid",
      title: "a token that names no key is refused",
      source: "decided",
      clause: "platform-contracts 5.2; payments surface 5",
      expected: "401 for a token without kid in its header, even when a key of the set has signed it",
      mend: "Find the key by kid; do not try the keys one after another.",
      needs: ["qr/token/accepted"],
      check: (scene) => refusedWith(scene, { header: { kid: null } }, "no kid"),
    },
    {
      id: "qr/token/unknown-kid",
      title: "a token of a key that is not in the set is refused",
      source: "public",
      clause: "platform-contracts 5.2",
      expected: "401 for a token that names a key which the key address does not have",
      mend: "Refuse what the set does not have, after at most one refresh of it.",
      needs: ["qr/token/accepted"],
      check: (scene) => refusedWith(scene, {}, "a key that is not in the set", "foreign"),
    },
    {
      id: "qr/token/signature",
      title: "a token that names a key of the set and is signed by another is refused",
      source: "public",
      clause: "platform-contracts 5.2",
      expected: "401 for a token with the kid of the set's key and a signature by a key that is not in the set",
      mend: MEND_VERIFY,
      needs: ["qr/token/accepted"],
      check: async (scene) => {
        const { side } = await scene.qrTill();
        return refusedWith(scene, { header: { kid: side.kidOf("current") } }, "another key's signature", "foreign");
      },
    },
    {
      id: "qr/token/issuer",
      title: "a token of another issuer is refused",
      source: "decided",
      clause: "platform-contracts 5.2",
      expected: "401 when iss is not the platform's, and when it is missing",
      mend: "Compare iss with the platform's issuer.",
      needs: ["qr/token/accepted"],
      check: (scene) =>
        inTurn(
          ["https://somebody.example", null],
          (iss) => (iss === null ? "no iss" : `iss ${iss}`),
          (iss) => refusedWith(scene, { claims: { iss } }, iss === null ? "no iss" : `iss ${iss}`),
        ),
    },
    {
      id: "qr/token/expired",
      title: "a token past its exp is refused",
      source: "public",
      clause: "platform-contracts 5.2",
      expected: "401 for a token whose exp was ten minutes ago, and for one without exp, which would be good for ever",
      mend: MEND_VERIFY,
      needs: ["qr/token/accepted"],
      check: (scene) =>
        inTurn(
          ["exp ten minutes ago", "no exp"],
          (name) => name,
          (name) => refusedWith(scene, { claims: name === "no exp" ? { exp: null } : lived(scene, -660) }, name),
        ),
    },
    {
      id: "qr/token/ahead",
      title: "a token from two minutes ahead is refused",
      source: "decided",
      clause: "platform-contracts 5.2; payments surface 5",
      expected: "401 for a token whose iat is two minutes ahead; clocks may differ by one",
      mend: "Check iat as well as exp, both with 60 s of skew.",
      needs: ["qr/token/accepted"],
      check: (scene) => refusedWith(scene, { claims: lived(scene, 120) }, "iat two minutes ahead"),
    },
    {
      id: "qr/token/skew",
      title: "clocks may differ by some seconds",
      source: "decided",
      clause: "platform-contracts 5.2; payments surface 5",
      expected: "any answer but 401 for a token whose exp was twenty seconds ago, and for one whose iat is twenty seconds ahead",
      mend: "Allow 60 s of skew: a till's payment must not depend on two clocks being the same.",
      needs: ["qr/token/accepted"],
      check: (scene) =>
        inTurn(
          [-80, 20],
          (shiftS) => `issued ${Math.abs(shiftS)} s ${shiftS < 0 ? "ago for a minute" : "ahead"}`,
          async (shiftS) => accepted(await sendWith(scene, { claims: lived(scene, shiftS) }, "another time")),
        ),
    },
    {
      id: "qr/token/no-id",
      title: "a token without an id is refused",
      source: "decided",
      clause: "platform-contracts 5.2",
      expected: "401 for a token with neither id nor jti: nothing would keep it from being used again",
      mend: "Require id, or jti where id is absent.",
      needs: ["qr/token/accepted"],
      check: (scene) => refusedWith(scene, { claims: { id: null } }, "neither id nor jti"),
    },
    {
      id: "qr/token/twice",
      title: "a token is good once",
      source: "public",
      clause: "platform-contracts 5.2",
      expected: "401 and code 401 when a token that was taken comes again, also with another call: it dies with its first successful check",
      mend: "Keep the ids of used tokens until exp and the skew have passed, in storage that all instances share.",
      needs: ["qr/token/accepted"],
      check: (scene) =>
        usedUpBy(scene, async (till, authorization) => till.send("state", till.newPayment(), { authorization, label: "a new token" })),
    },
    {
      id: "qr/token/jti",
      title: "jti is taken where id is absent",
      source: "decided",
      clause: "platform-contracts 5.2; payments surface 5",
      expected: "any answer but 401 for a token with jti in the place of id, and 401 when the same one comes again",
      mend: "Read id, and jti when there is no id; keep both in the same list of used tokens.",
      needs: ["qr/token/accepted", "qr/token/twice"],
      check: async (scene) => {
        const jti = scene.services.chance.uuid();
        const once = accepted(await sendWith(scene, { claims: { id: null, jti } }, "jti in the place of id"));
        if (once.kind !== "held") return once;
        return refused(await sendWith(scene, { claims: { id: null, jti } }, "the same jti again"));
      },
    },
    {
      id: "qr/token/refused-request",
      title: "a refused request uses its token up as well",
      source: "decided",
      clause: "payments surface 5",
      expected: "401 when a token comes again whose first request was refused because of its JSON, a missing field or the account",
      mend: "Store the token's id before you look at the body, in every case that comes after the check of the token.",
      needs: ["qr/token/twice"],
      check: (scene) =>
        inTurn(
          [
            { name: "broken JSON", change: { bytes: Buffer.from('{"amount": ') } },
            { name: "no operationId", change: { body: { operationId: undefined } } },
            { name: "an unknown account", change: { body: { accountId: "11111111-2222-4333-8444-555555555555" } } },
          ],
          ({ name }) => name,
          ({ name, change }) =>
            usedUpBy(scene, (till, authorization) => till.send("state", till.newPayment(), { ...change, authorization, label: name })),
        ),
    },
    {
      id: "qr/token/kept",
      title: "a request that is refused before its token is looked at does not use it up",
      source: "decided",
      clause: "payments surface 5",
      expected: "any answer but 401 when a token comes again whose first request had another method, another type or too large a body",
      mend: "Check path, method, size and type first, and the token after them.",
      needs: ["qr/token/accepted"],
      check: (scene) =>
        inTurn(
          [
            { name: "PUT", change: { method: "PUT" as const } },
            { name: "text/plain", change: { contentType: "text/plain" } },
            { name: "a large body", change: { bytes: Buffer.alloc(TOO_LARGE_BYTES, " ") } },
          ],
          ({ name }) => name,
          async ({ name, change }) => {
            const till = await scene.qrTill();
            const authorization = `Bearer ${till.side.token()}`;
            await till.send("state", till.newPayment(), { ...change, authorization, label: name });
            return accepted(await till.send("state", till.newPayment(), { authorization, label: `the token that came with ${name}` }));
          },
        ),
    },
  ],
};

/** The last group about QR payment: it may have to wait until the server reads the keys again. */
export const qrKeysGroup: Group = {
  id: "qr/key",
  needs: ["qr/token/accepted"],
  rules: [
    {
      id: "qr/key/flood",
      title: "unknown keys make a server read the key address once at most",
      source: "decided",
      clause: "platform-contracts 5.2",
      expected: "at most one GET of the key address while five tokens come that name five unknown keys",
      mend: "Bound the refresh for unknown keys to one in half a minute, or anybody can make you flood the platform.",
      check: async (scene) => {
        const till = await scene.qrTill();
        const before = till.side.reads;
        const kids = Array.from({ length: 5 }, () => scene.services.chance.uuid());
        const sent = await Promise.all(kids.map((kid) => sendWith(scene, { header: { kid } }, "an unknown kid", "foreign")));
        const reads = till.side.reads - before;
        const [first] = sent;
        return reads <= 1 || first === undefined ? held : broken(first, `the key address was read ${reads} times`);
      },
    },
    {
      id: "qr/key/rotation",
      title: "a new key of the platform is taken",
      source: "public",
      clause: "platform-contracts 5.2",
      expected:
        "any answer but 401 for a token by a key that has come into the set since the server read it, within half a minute, and tokens by the key before it are still taken",
      mend: "When a token names a key that you do not have, read the keys again, at most once in half a minute, and check the token by them.",
      check: async (scene) => {
        const till = await scene.qrTill();
        till.side.rotate();
        const sent = await untilKnown(scene, till, "next");
        if (statusOf(sent) === 401) return broken(sent, "the new key's token was refused");
        return accepted(await sendWith(scene, {}, "the key before"));
      },
    },
  ],
};

/** One byte above the largest body that a server must accept. */
const TOO_LARGE_BYTES = 1024 * 1024 + 1;

/**
 * Sends tokens signed by this key until the server accepts one. Gives up after the time in which every correct server reads the keys again.
 */
async function untilKnown(scene: Scene, till: QrTill, choice: KeyChoice): Promise<Sent> {
  const { clock, limits } = scene.services;
  const endMs = clock.monotonicMs() + limits.keysMs;
  for (;;) {
    const label = choice === "current" ? "a right token" : "a token by the new key";
    const sent = await till.send("state", till.newPayment(), { authorization: `Bearer ${till.side.token({}, choice)}`, label });
    if (statusOf(sent) !== 401 || clock.monotonicMs() > endMs) return sent;
    await pause(clock, Math.min(RETRY_MS, limits.keysMs));
  }
}

async function sendWith(scene: Scene, changes: QrTokenChanges, label: string, choice: KeyChoice = "current"): Promise<Sent> {
  const till = await scene.qrTill();
  return till.send("state", till.newPayment(), { authorization: `Bearer ${till.side.token(changes, choice)}`, label });
}

async function refusedWith(scene: Scene, changes: QrTokenChanges, label: string, choice?: KeyChoice): Promise<CheckResult> {
  return refused(await sendWith(scene, changes, label, choice));
}

/** The server must refuse the second request with the same token. */
async function usedUpBy(scene: Scene, first: (till: QrTill, authorization: string) => Promise<Sent>): Promise<CheckResult> {
  const till = await scene.qrTill();
  const authorization = `Bearer ${till.side.token()}`;
  await first(till, authorization);
  return refused(await till.send("cancel", till.newPayment(), { authorization, label: "the same token again" }));
}

function refused(sent: Sent): CheckResult {
  if (statusOf(sent) !== 401) return broken(sent, "the status is not 401");
  return qrErrorOf(sent)?.code === 401 ? held : broken(sent, "the first error's code is not 401");
}

function accepted(sent: Sent): CheckResult {
  return statusOf(sent) === 401 ? broken(sent, "the token was refused") : held;
}

/** The token is issued `shiftS` seconds from now and lives for a minute. */
function lived({ services }: Scene, shiftS: number): { iat: number; exp: number } {
  const iat = Math.floor(services.clock.nowMs() / 1000) + shiftS;
  return { iat, exp: iat + 60 };
}
