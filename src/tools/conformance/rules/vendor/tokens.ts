import { signForbiddenToken, signToken, TOKEN_LIFE_S } from "../../../sandbox/caller/vendor-token.ts";
import { type CheckResult, held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { statusOf } from "../../exchanges/sent.ts";
import type { Account } from "../../play/account.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group } from "../rule.ts";
import { expectErrors, expectState, expectStatus } from "./answers.ts";

const MEND_VERIFY =
  "Verify in this order: secret by the path's appId, alg HS256 and nothing else, signature, exp and iat with 60 s of skew, jti not used before.";

/** Rules about the tokens that prove the platform's calls (platform-contracts 3.2). */
export const tokensGroup: Group = {
  id: "vendor/token",
  needs: ["vendor/activation/status"],
  rules: [
    {
      id: "vendor/token/missing",
      title: "a call without a token is refused",
      source: "decided",
      clause: "platform-contracts 3.2",
      expected: "401 without Authorization, and with one that is no Bearer token",
      mend: MEND_VERIFY,
      check: (scene) =>
        inTurn(
          [null, "Basic dXNlcjpwYXNz", "Bearer nonsense"],
          (authorization) => (authorization === null ? "no Authorization" : `Authorization ${authorization}`),
          (authorization) => refused(scene, () => authorization),
        ),
    },
    {
      id: "vendor/token/wrong-secret",
      title: "a token signed with another secret is refused",
      source: "public",
      clause: "platform-contracts 3.2",
      expected: "401 for an HS256 token that was not made with the secretKey of the path's appId",
      mend: MEND_VERIFY,
      check: (scene) => refused(scene, (account) => `Bearer ${signToken(account.claims(), "another secret that nobody was given")}`),
    },
    {
      id: "vendor/token/algorithm",
      title: "a token of another algorithm is refused",
      source: "decided",
      clause: "platform-contracts 3.2",
      expected:
        "401 for alg none, and for HS512 even when it is made with the right secret: the header of a token must not choose how it is checked",
      mend: "Pin the algorithm to HS256 in the call of the JWT library.",
      check: (scene) =>
        inTurn(
          ["none", "HS512"] as const,
          (algorithm) => `alg ${algorithm}`,
          (algorithm) =>
            refused(scene, (account) => `Bearer ${signForbiddenToken(account.claims(), scene.target.solution.secretKey, algorithm)}`),
        ),
    },
    {
      id: "vendor/token/expired",
      title: "a token past its exp is refused",
      source: "public",
      clause: "platform-contracts 3.2",
      expected: "401 for a token whose exp was 10 minutes ago",
      mend: MEND_VERIFY,
      check: (scene) => refused(scene, (account) => account.bearer(shifted(account, -900))),
    },
    {
      id: "vendor/token/from-the-future",
      title: "a token that was issued in the future is refused",
      source: "decided",
      clause: "platform-contracts 3.2",
      expected: "401 for a token whose iat is an hour ahead",
      mend: MEND_VERIFY,
      check: (scene) => refused(scene, (account) => account.bearer(shifted(account, 3_600))),
    },
    {
      id: "vendor/token/claims",
      title: "a token without exp or jti is refused",
      source: "decided",
      clause: "platform-contracts 3.2, Claims and Verification order",
      expected:
        "401 when exp or jti is missing: the platform's tokens have iat, exp and jti, and without them a stolen one would be good for ever",
      mend: "Require both claims; do not expect sub, which the platform's tokens do not have.",
      check: (scene) =>
        inTurn(
          ["exp", "jti"],
          (claim) => `without ${claim}`,
          (claim) => refused(scene, (account) => account.bearer({ ...account.claims(), [claim]: undefined })),
        ),
    },
    {
      id: "vendor/token/skew",
      title: "clocks may differ by a minute",
      source: "decided",
      clause: "platform-contracts 3.2",
      expected: "200 for a token whose exp was 45 s ago, and for one whose iat is 45 s ahead",
      mend: "Allow 60 s of difference on exp and iat: otherwise an activation fails for good when a clock is slightly off.",
      check: (scene) =>
        inTurn(
          [-TOKEN_LIFE_S - 45, 45],
          (shiftS) => (shiftS < 0 ? "exp 45 s ago" : "iat 45 s ahead"),
          async (shiftS) => {
            const account = scene.newAccount();
            return expectState(await account.activate("Install", {}, { authorization: account.bearer(shifted(account, shiftS)) }));
          },
        ),
    },
    {
      id: "vendor/token/skew-limit",
      title: "more than a minute is no difference of clocks",
      source: "decided",
      clause: "platform-contracts 3.2",
      expected: "401 for a token whose exp was 90 s ago, and for one whose iat is 90 s ahead",
      mend: "Allow 60 s of difference on exp and iat and not a round number of minutes: an old token is a stolen one.",
      needs: ["vendor/token/expired", "vendor/token/from-the-future"],
      check: (scene) =>
        inTurn(
          [-TOKEN_LIFE_S - 90, 90],
          (shiftS) => (shiftS < 0 ? "exp 90 s ago" : "iat 90 s ahead"),
          (shiftS) => refused(scene, (account) => account.bearer(shifted(account, shiftS))),
        ),
    },
    {
      id: "vendor/token/unknown-app",
      title: "a call for an appId that is not the server's is refused",
      source: "decided",
      clause: "platform-contracts 3.2",
      expected: "401 for a path with an appId that is in no set of credentials",
      mend: "Look the secret up by the appId of the path in a table of credential sets; an unknown one is 401.",
      check: async (scene) => {
        const account = scene.newAccount();
        const change = { body: account.activationBody("Install"), appId: scene.services.chance.uuid() };
        return expectStatus(await account.call("PUT", change), 401);
      },
    },
    {
      id: "vendor/token/used-twice",
      title: "a token is good for one call",
      source: "public",
      clause: "platform-contracts 3.2",
      expected: "401 for a token whose jti came before with another request id and another body",
      mend: "Store each jti with the request it came with until its exp has passed, in storage that all instances share.",
      check: async (scene) => {
        const account = await scene.account();
        const authorization = account.bearer();
        await account.activate("Install", {}, { authorization });
        return expectStatus(await account.activate("Install", { accountName: "somebody-else" }, { authorization }), 401);
      },
    },
    {
      id: "vendor/token/retry",
      title: "the very same call again gets the same answer",
      source: "decided",
      clause: "platform-contracts 3.2, Replay versus retry",
      expected:
        "200 and the same body when token, request id, path and body are all those of a call before: the platform may repeat a call with the same token, and a 401 would be final",
      mend: "Store the answer with the jti; when request id, method, path and body hash are the same, send it again.",
      check: async (scene) => {
        const account = scene.newAccount();
        const change = { authorization: account.bearer(), requestId: scene.services.chance.uuid() };
        const body = { subscription: null };
        const first = await account.activate("Install", body, change);
        const second = await account.activate("Install", body, change);
        if (statusOf(second) !== statusOf(first)) return broken(second, `the first answer was ${statusOf(first)}, this one is another`);
        return bodyOf(first) === bodyOf(second) ? held : broken(second, `the first body was ${bodyOf(first)}, this one is another`);
      },
    },
    {
      id: "vendor/token/error-shape",
      title: "a refusal has the contract's shape",
      source: "decided",
      clause: "platform-contracts 3.8; interface 6, Vendor contract's errors",
      expected: '{"errors":[{"error":"words","code":401}]} with Content-Type application/json',
      mend: "Answer errors of the vendor contract through one function: errors is a list, error a text, code a whole number, parameter optional.",
      needs: ["vendor/token/missing"],
      check: async (scene) => {
        const account = scene.newAccount();
        return expectErrors(await account.activate("Install", {}, { authorization: null }));
      },
    },
  ],
};

async function refused(scene: Scene, authorizationOf: (account: Account) => string | null): Promise<CheckResult> {
  const account = scene.newAccount();
  return expectStatus(await account.activate("Install", {}, { authorization: authorizationOf(account) }), 401);
}

function shifted(account: Account, byS: number): object {
  const { iat, exp, jti } = account.claims();
  return { iat: iat + byS, exp: exp + byS, jti };
}

function bodyOf({ exchange }: { exchange: { kind: "answer"; body: Buffer } | { kind: "no-answer" } }): string {
  return exchange.kind === "answer" ? exchange.body.toString("utf8") : "";
}
