import { type CheckResult, inTurn, notApplicable } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import type { Account } from "../../play/account.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group } from "../rule.ts";
import { askQuote, bodyOfSale, expectRefused, expectStatus, quoteIn, saleOf } from "./answers.ts";

/** The access key of an account's programme (platform-contracts 6.1). */
export const loyaltyKeysGroup: Group = {
  id: "loyalty/key",
  needs: ["vendor/activation/status"],
  rules: [
    {
      id: "loyalty/key/accepted",
      title: "a call with the access key is answered",
      source: "seed",
      clause: "seed, Authentication, Loyalty; platform-contracts 6.1",
      expected: "200 for recalc of an anonymous sale with the key that the server has told the platform",
      mend: "Save the key before you tell it to the platform, and take it from the header Platform-Discount-API-Auth-Token.",
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        return expectStatus(await askQuote(till, { lines: [till.line(9600, 1000)] }), 200);
      },
    },
    {
      id: "loyalty/key/missing",
      title: "a call without an access key is refused",
      source: "public",
      clause: "platform-contracts 6.1; payments surface 6",
      expected: "401 and 999 for recalc without the header Platform-Discount-API-Auth-Token",
      mend: "Answer 401 with code 999 where the header is missing or empty.",
      needs: ["loyalty/key/accepted"],
      check: (scene) => expectKeyRefused(scene, [null]),
    },
    {
      id: "loyalty/key/wrong",
      title: "a wrong access key is refused",
      source: "public",
      clause: "platform-contracts 6.1; payments surface 6",
      expected: "401 and 999 for recalc with another key, with the right one cut off by one character, and with one more character",
      mend: "Look the whole key up by its hash; never compare beginnings.",
      needs: ["loyalty/key/accepted"],
      check: async (scene) => {
        const { key } = (await scene.loyaltyTill()).connection;
        return expectKeyRefused(scene, ["another-key", key.slice(0, -1), `${key}x`]);
      },
    },
    {
      id: "loyalty/key/suspended",
      title: "while the solution is suspended a sale goes on without discounts",
      source: "decided",
      clause: "payments surface 6",
      expected: "200 after Suspend: recalc with unchanged positions and zeros, and 201 for a sale, which moves nothing",
      mend: "Keep the key while suspended, and answer without the programme: an error would stop the till.",
      needs: ["loyalty/key/accepted"],
      check: withOwnAccount(async (scene, account) => {
        const till = await scene.newLoyaltyTill(account);
        await account.deactivate("Suspend");
        const sent = await askQuote(till, { customer: till.newCustomer(), lines: [till.line(9600, 3000)] });
        const result = expectStatus(sent, 200);
        const sale = result.kind === "held" ? await till.send("sale", bodyOfSale(till, saleOf(till, undefined, quoteIn(sent)))) : undefined;
        account.renew();
        await account.activate("Resume");
        return sale === undefined ? result : expectStatus(sale, 201);
      }),
    },
    {
      id: "loyalty/key/uninstalled",
      title: "the key of an account that has uninstalled is refused",
      source: "decided",
      clause: "payments surface 6",
      expected: "401 and 999 for recalc after Uninstall, with the key of before",
      mend: "Look whether the account of the key still has the solution.",
      needs: ["loyalty/key/accepted"],
      check: withOwnAccount(async (scene, account) => {
        const till = await scene.newLoyaltyTill(account);
        await account.deactivate("Uninstall");
        return expectRefused(await askQuote(till, { lines: [till.line(9600, 1000)] }), 401, 999);
      }),
    },
    {
      id: "loyalty/key/new",
      title: "a new installation gets a new key, which is taken",
      source: "decided",
      clause: "platform-contracts 3.8; payments surface 6",
      expected: "another token in PUT …/loyalty after Uninstall and Install, and 200 for recalc with it",
      mend: "Send the loyalty settings again after each Install, with a new key: the platform deletes them on Uninstall.",
      needs: ["loyalty/key/accepted"],
      check: withOwnAccount(async (scene, account) => {
        const { key } = (await scene.loyaltyTill()).connection;
        await account.deactivate("Uninstall");
        await account.activate("Install");
        const till = await scene.newLoyaltyTill(account);
        const sent = await askQuote(till, { lines: [till.line(9600, 1000)] });
        return till.connection.key === key ? broken(sent, "the key is the same as before") : expectStatus(sent, 200);
      }),
    },
    {
      id: "loyalty/key/overlap",
      title: "the key before lives on for a while",
      source: "decided",
      clause: "platform-contracts 6.1; payments surface 6",
      expected:
        "200 for recalc with the key of before, right after a new one was told: tills may still have it, and ten minutes are given to them",
      mend: "Keep the key before beside the new one for ten minutes.",
      needs: ["loyalty/key/new"],
      check: withOwnAccount(async (scene, account) => {
        const before = (await scene.newLoyaltyTill(account)).connection.key;
        await account.deactivate("Uninstall");
        await account.activate("Install");
        const till = await scene.newLoyaltyTill(account);
        return expectStatus(await askQuote(till, { lines: [till.line(9600, 1000)] }, { key: before, label: "the key of before" }), 200);
      }),
    },
  ],
};

/** Makes the check of a rule that suspends or removes the account. The run may do this only with an account that it installed. */
function withOwnAccount(check: (scene: Scene, account: Account) => Promise<CheckResult>): (scene: Scene) => Promise<CheckResult> {
  return async (scene) => {
    const { account } = await scene.loyaltyTill();
    return account === undefined
      ? notApplicable("the account was given by --account, and the run does not stop it")
      : check(scene, account);
  };
}

async function expectKeyRefused(scene: Scene, keys: readonly (string | null)[]): Promise<CheckResult> {
  const till = await scene.loyaltyTill();
  return inTurn(
    keys,
    (key) => (key === null ? "no key" : "another key"),
    async (key) => {
      const label = key === null ? "no access key" : "another access key";
      return expectRefused(await askQuote(till, { lines: [till.line(9600, 1000)] }, { key, label }), 401, 999);
    },
  );
}
