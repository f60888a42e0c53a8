import {
  createBody,
  customerCodeBody,
  detailBody,
  giftCardQuery,
  saleCodeBody,
  searchQuery,
} from "../../../sandbox/caller/loyalty/bodies.ts";
import { type CheckResult, held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { errorOf, objectOf, type Sent, statusOf } from "../../exchanges/sent.ts";
import type { Group } from "../rule.ts";
import { allOf, enrolled, expectBalance, expectRefused, expectStatus } from "./answers.ts";

/** The longest text that the register shows to the cashier (platform-contracts 6.3). */
const MAX_CASHIER_CHARACTERS = 140;
const MAX_ROWS = 20;

/** Rules about buyers: they join, and the register asks for their points. */
export const loyaltyCustomersGroup: Group = {
  id: "loyalty/customer",
  needs: ["loyalty/key/accepted", "loyalty/error/shape"],
  rules: [
    {
      id: "loyalty/customer/created",
      title: "a buyer joins",
      source: "seed",
      clause: "seed, Endpoints, Loyalty",
      expected: "201 for create of a buyer with a name and a phone, whose statusCheck is CHECKED",
      mend: "Make the member, by the ids in meta.id and syncId.",
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        return expectStatus(await till.send("create", createBody(till.place, till.newCustomer(), "CHECKED")), 201);
      },
    },
    {
      id: "loyalty/customer/again",
      title: "a buyer who joins again is no error",
      source: "decided",
      clause: "platform-contracts 6.7",
      expected: "201 for the same create again, and for one without statusCheck: the answer to the first one may have been lost",
      mend: "Find the member by his ids, and answer 201 for what is there.",
      needs: ["loyalty/customer/created"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const body = createBody(till.place, await enrolled(till), "CHECKED");
        return allOf(
          expectStatus(await till.send("create", body), 201),
          expectStatus(await till.send("create", { ...body, statusCheck: undefined }, { label: "no statusCheck" }), 201),
        );
      },
    },
    {
      id: "loyalty/customer/unconfirmed",
      title: "a buyer who is not confirmed joins, or is asked for a code",
      source: "seed",
      clause: "seed, Rules 6; platform-contracts 6.6",
      expected: "201, or 412 and 28001, for create with UNCHECKED; and 201 for the same buyer with IGNORE afterwards",
      mend: "Answer 28001 where a code is wanted, and take the buyer whom the register has confirmed or lets pass.",
      needs: ["loyalty/customer/created"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const customer = till.newCustomer();
        const first = await till.send("create", createBody(till.place, customer, "UNCHECKED"), { label: "UNCHECKED" });
        const result = statusOf(first) === 201 ? held : expectRefused(first, 412, 28_001);
        return allOf(result, expectStatus(await till.send("create", createBody(till.place, customer, "IGNORE"), { label: "IGNORE" }), 201));
      },
    },
    {
      id: "loyalty/customer/balance",
      title: "detail tells the points of one member",
      source: "seed",
      clause: "seed, Endpoints, Loyalty, Rules 1",
      expected: "200 and bonusProgram.agentBonusBalance 0 for detail of a member who has just joined",
      mend: 'Answer {"bonusProgram":{"agentBonusBalance":0}}, a number, and never a list.',
      needs: ["loyalty/customer/created"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        return expectBalance(till, await enrolled(till), 0, "as for a member without points");
      },
    },
    {
      id: "loyalty/customer/sync-id",
      title: "a member is known by each of his ids",
      source: "public",
      clause: "platform-contracts 6.3, 6.7",
      expected: "200 for detail by the syncId alone of a member who joined with meta.id and syncId",
      mend: "Keep both ids as names of the same member: documents made at the register carry the one that was made there.",
      needs: ["loyalty/customer/balance"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const { id: _id, ...customer } = await enrolled(till);
        const { phone: _phone, ...nameless } = customer;
        return expectStatus(await till.send("detail", detailBody(till.place, nameless), { label: "the sync id alone" }), 200);
      },
    },
    {
      id: "loyalty/customer/unknown",
      title: "detail of somebody who never joined is refused",
      source: "decided",
      clause: "platform-contracts 6.7, 6.9; payments surface 6",
      expected: "404 and 28002 for detail of an id and a phone that nobody has",
      mend: "Answer 404 with 28002; a balance of zero would look like a member.",
      needs: ["loyalty/customer/balance"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        return expectRefused(await till.send("detail", detailBody(till.place, till.newCustomer())), 404, 28_002);
      },
    },
    {
      id: "loyalty/customer/search",
      title: "search answers rows, or is left to the platform",
      source: "public",
      clause: "platform-contracts 6.2, 6.3; payments surface 6",
      expected: "404, or 200 with rows, at most 20, each with the texts id and name, for GET /counterparty with search and retailStoreId",
      mend: "Answer 404 where externalSearch is false; elsewhere rows, an empty list where nobody is found.",
      needs: ["loyalty/customer/created"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const sent = await till.send("search", searchQuery(till.place, "9039993344"));
        return statusOf(sent) === 404 ? held : expectRows(sent);
      },
    },
    {
      id: "loyalty/customer/search-off",
      title: "search is 404 where the server left it to the platform",
      source: "public",
      clause: "platform-contracts 6.2; payments surface 6",
      expected: "404 for search where the server told the platform externalSearch false",
      mend: "Answer 404, or tell the platform externalSearch true.",
      needs: ["loyalty/customer/search"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const accountId = till.account?.installation.accountId;
        const told = accountId === undefined ? undefined : scene.services.platform.loyaltyOf(accountId);
        if (told?.externalSearch !== false)
          return { kind: "not-applicable", why: "the run does not know that search is off: the account was given, or search is on" };
        return expectStatus(await till.send("search", searchQuery(till.place, "9039993344")), 404);
      },
    },
  ],
};

/** Codes that confirm a buyer or the buyer's points (platform-contracts 6.6). */
export const loyaltyCodesGroup: Group = {
  id: "loyalty/code",
  needs: ["loyalty/key/accepted", "loyalty/error/shape", "loyalty/customer/created"],
  rules: [
    {
      id: "loyalty/code/customer",
      title: "a code for a buyer who joins is sent, and told to the register",
      source: "seed",
      clause: "seed, Verification code response; platform-contracts 6.3, 6.6",
      expected:
        "200 and a verificationCode, a text that is not empty, for POST /counterparty/verify of a buyer with a phone; his meta has only an href",
      mend: "Send the code to the buyer and answer it: the register compares what the buyer says. The test server needs a way to send (with this project's server: CODE_CHANNEL=file).",
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        return expectCode(await till.send("customer-code", customerCodeBody(till.place, till.newCustomer())));
      },
    },
    {
      id: "loyalty/code/words",
      title: "beside the code stand seconds and words for the cashier",
      source: "public",
      clause: "platform-contracts 6.3",
      expected: `timeForRepeat, where it is there, a whole number of seconds above 0, and messageForCashier a text of at most ${MAX_CASHIER_CHARACTERS} characters`,
      mend: "Answer seconds, not milliseconds or a moment, and shorten the words.",
      needs: ["loyalty/code/customer"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const sent = await till.send("customer-code", customerCodeBody(till.place, till.newCustomer()));
        const { timeForRepeat: seconds, messageForCashier: words } = objectOf(sent) ?? {};
        if (seconds != null && !(Number.isInteger(seconds) && Number(seconds) > 0 && Number(seconds) <= 3_600))
          return broken(sent, "timeForRepeat is no number of seconds up to an hour");
        const isShort = words == null || (typeof words === "string" && words.length <= MAX_CASHIER_CHARACTERS);
        return isShort ? held : broken(sent, "messageForCashier is no text, or too long");
      },
    },
    {
      id: "loyalty/code/too-soon",
      title: "a second code is not sent at once",
      source: "decided",
      clause: "platform-contracts 6.6, 6.9",
      expected: "429 and 28005 for a second POST /counterparty/verify of the same buyer right after the first",
      mend: "Keep when the last code went out; refuse another before timeForRepeat has passed, and leave the first one valid.",
      needs: ["loyalty/code/customer"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const body = customerCodeBody(till.place, till.newCustomer());
        return allOf(
          expectCode(await till.send("customer-code", body)),
          expectRefused(await till.send("customer-code", body), 429, 28_005),
        );
      },
    },
    {
      id: "loyalty/code/sale",
      title: "a code for a sale goes to the member",
      source: "seed",
      clause: "seed, Endpoints, Loyalty; platform-contracts 6.3, 6.6",
      expected: "200 and a verificationCode for POST /retaildemand/verify by the member's sync id, with his phone",
      mend: "Find the member by counterpartyId, and send the code to his phone.",
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        return expectCode(await till.send("sale-code", saleCodeBody(till.place, await enrolled(till))));
      },
    },
    {
      id: "loyalty/code/own-phone",
      title: "without a phone the code for a sale goes to the member's own",
      source: "public",
      clause: "platform-contracts 6.3",
      expected: "200 and a verificationCode for POST /retaildemand/verify without phone, of a member who joined with one",
      mend: "Take the phone with which the member joined where none is named.",
      needs: ["loyalty/code/sale"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const { phone: _phone, ...customer } = await enrolled(till);
        return expectCode(await till.send("sale-code", saleCodeBody(till.place, customer), { label: "no phone" }));
      },
    },
    {
      id: "loyalty/code/unknown",
      title: "a code for a sale of somebody who never joined is refused",
      source: "decided",
      clause: "platform-contracts 6.7, 6.9; payments surface 6",
      expected: "404 and 28002 for POST /retaildemand/verify with a counterpartyId that nobody has",
      mend: "Look the member up before anything is sent.",
      needs: ["loyalty/code/sale"],
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        return expectRefused(await till.send("sale-code", saleCodeBody(till.place, till.newCustomer())), 404, 28_002);
      },
    },
  ],
};

export const loyaltyGiftCardsGroup: Group = {
  id: "loyalty/gift-card",
  needs: ["loyalty/key/accepted", "loyalty/error/shape"],
  rules: [
    {
      id: "loyalty/gift-card/unknown",
      title: "a gift card that does not exist is unknown",
      source: "decided",
      clause: "platform-contracts 6.9; payments surface 6",
      expected: "404 and 28010 for GET /giftcard with a name that no card has",
      mend: "Answer 404 with 28010, so that the till tells it apart from a path that is not served.",
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        return inTurn(
          [till.newId(), "карта № 1"],
          (name) => name,
          async (name) => expectRefused(await till.send("gift-card", giftCardQuery(till.place, name)), 404, 28_010),
        );
      },
    },
  ],
};

function expectCode(sent: Sent): CheckResult {
  if (statusOf(sent) !== 200) return broken(sent, `the status is not 200, ${errorOf(sent)?.message ?? ""}`);
  const code = objectOf(sent)?.verificationCode;
  return typeof code === "string" && code !== "" ? held : broken(sent, "verificationCode is no text");
}

function expectRows(sent: Sent): CheckResult {
  if (statusOf(sent) !== 200) return broken(sent, "the status is neither 200 nor 404");
  const rows = objectOf(sent)?.rows;
  if (!Array.isArray(rows) || rows.length > MAX_ROWS) return broken(sent, `rows is no list of at most ${MAX_ROWS}`);
  const isRow = (row: unknown) => {
    const { id, name } = { ...(row as Record<string, unknown> | null) };
    return typeof id === "string" && typeof name === "string";
  };
  return rows.every(isRow) ? held : broken(sent, "a row has no id or no name");
}
