import {
  createBody,
  customerCodeBody,
  detailBody,
  giftCardQuery,
  recalcBody,
  saleCodeBody,
  searchQuery,
} from "../../../sandbox/caller/loyalty/bodies.ts";
import type { LoyaltyCallName } from "../../../sandbox/caller/loyalty/call.ts";
import { type CheckResult, inTurn, notApplicable } from "../../exchanges/check-result.ts";
import { errorOf, statusOf } from "../../exchanges/sent.ts";
import { type LoyaltyTill, undiscounted } from "../../play/loyalty-till.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group, Rule } from "../rule.ts";
import { bodyOfReturn, bodyOfSale, expectRefused, expectStatus } from "./answers.ts";

/** The required fields of each call, as paths. `0`: the first element of a list. */
const REQUIRED: Readonly<Record<LoyaltyCallName, readonly string[]>> = {
  create: ["retailStore", "retailStore.meta.id", "name"],
  search: ["search", "retailStoreId"],
  detail: ["meta", "meta.id", "retailStore", "retailStore.meta.id"],
  "customer-code": ["retailStore", "retailStore.meta.id"],
  recalc: ["retailStore", "retailStore.meta.id", "positions", "positions.0.assortment", "positions.0.quantity", "positions.0.price"],
  "sale-code": ["retailStore", "retailStore.meta.id", "counterpartyId"],
  sale: ["retailStore", "retailStore.meta.id", "name", "moment", "positions.0.quantity", "positions.0.price"],
  return: ["retailStore", "retailStore.meta.id", "name", "moment", "positions", "positions.0.quantity", "positions.0.price"],
  "gift-card": ["name", "retailStoreId"],
};

const WRONG: readonly { call: LoyaltyCallName; path: string; values: readonly unknown[] }[] = [
  { call: "create", path: "name", values: [7, { text: "a" }] },
  { call: "create", path: "retailStore.meta.id", values: [7, "", "x".repeat(5_000), "../../etc"] },
  { call: "recalc", path: "positions", values: [{}, "one", 7] },
  { call: "recalc", path: "positions.0.quantity", values: ["1", 0, -1, 0.0001, true] },
  { call: "recalc", path: "positions.0.price", values: ["96.00", -1, 96.005, { value: 96 }] },
  { call: "sale", path: "moment", values: [7, "yesterday", "2026-13-45 99:99:99"] },
  { call: "sale", path: "bonusProgram.bonusValueToSpend", values: ["5", -1, 0.5] },
  { call: "sale", path: "bonusProgram.bonusValueToEarn", values: ["5", -1, 0.5] },
  { call: "return", path: "positions.0.discountedPrice", values: ["96.00", -1] },
  { call: "sale-code", path: "counterpartyId", values: [7, "", ["one"]] },
];

/** Values outside an enumeration (platform-contracts 6.4). */
const UNKNOWN_NAMES: readonly { call: LoyaltyCallName; path: string; value: string }[] = [
  { call: "create", path: "statusCheck", value: "MAYBE" },
  { call: "create", path: "sex", value: "OTHER" },
  { call: "recalc", path: "bonusProgram.transactionType", value: "GIVING" },
];

export const loyaltyRequiredGroup: Group = {
  id: "loyalty/required",
  needs: ["loyalty/key/accepted", "loyalty/error/shape"],
  rules: [
    ...(Object.keys(REQUIRED) as LoyaltyCallName[]).map(requiredRule),
    {
      id: "loyalty/required/wrong-kind",
      title: "a value of another kind is refused",
      source: "decided",
      clause: "platform-contracts 6.3, 6.9; payments surface 6",
      expected: `412 and 999 for ${WRONG.map(({ call, path }) => `${path} in ${call}`).join(", ")} of other kinds, below zero, with too many decimals or too long`,
      mend: "Read numbers from their text, with at most two decimals (quantities three), and check each field by its schema.",
      check: (scene) =>
        inTurn(
          WRONG.flatMap(({ call, path, values }) => values.map((value) => ({ call, path, value }))),
          ({ call, path, value }) => `${path} ${JSON.stringify(value).slice(0, 40)} in ${call}`,
          (changed) => expectFieldRefused(scene, changed),
        ),
    },
    {
      id: "loyalty/required/unknown-name",
      title: "a value outside of an enumeration is refused",
      source: "decided",
      clause: "platform-contracts 6.4, 6.9",
      expected:
        "412 and 999 for statusCheck MAYBE and sex OTHER in create, and transactionType GIVING in recalc: the documented lists are complete",
      mend: "Compare with the documented names; what is none of them may not be read as the default.",
      check: (scene) =>
        inTurn(
          UNKNOWN_NAMES,
          ({ path }) => path,
          (changed) => expectFieldRefused(scene, changed),
        ),
    },
    {
      id: "loyalty/required/parameter",
      title: "a refusal names the field at fault",
      source: "decided",
      clause: "platform-contracts 6.9",
      expected:
        '"parameter" with the name of the field, as in "retailStore" or "positions.0.price", for each call without one of its fields',
      mend: "Put the field's place into parameter of the error: it is what the platform's people look at first.",
      needs: (Object.keys(REQUIRED) as LoyaltyCallName[]).filter((call) => call !== "search").map((call) => `loyalty/required/${call}`),
      check: (scene) =>
        inTurn(
          (Object.keys(REQUIRED) as LoyaltyCallName[])
            .filter((call) => call !== "search")
            .flatMap((call) => (REQUIRED[call] ?? []).map((path) => ({ call, path }))),
          ({ call, path }) => `${call} without ${path}`,
          async ({ call, path }) => {
            const till = await scene.loyaltyTill();
            const sent = await till.send(call, changedAt(contentOf(call, till), path, undefined), {
              label: `no ${path}`,
              ...pathWithout(call, path, till),
            });
            // A correct `parameter` may also contain an element's index, or only the name of the object around the field.
            const names = path.split(".").filter((name) => name !== "0");
            const told = (errorOf(sent)?.parameter ?? "").split(/[.[\]]+/);
            const isNamed = names.slice(-2).some((name) => told.includes(name));
            return isNamed ? expectStatus(sent, 412) : expectRefused(sent, 412, 999, names.at(-1));
          },
        ),
    },
  ],
};

function requiredRule(call: LoyaltyCallName): Rule {
  const fields = REQUIRED[call];
  return {
    id: `loyalty/required/${call}`,
    title: `${call} without one of its fields is refused`,
    source: "public",
    clause: "platform-contracts 6.2, 6.3; seed, Errors",
    expected: `412 and 999 for ${call} without ${fields.join(", without ")}`,
    mend: "Check the request by one schema before you look anything up; retailStore is required in every call.",
    check: async (scene) => {
      if (call === "search" && (await isWithoutSearch(scene)))
        return notApplicable("the platform searches for customers itself: search is 404");
      return inTurn(
        fields,
        (path) => `no ${path}`,
        (path) => expectFieldRefused(scene, { call, path, value: undefined }),
      );
    },
  };
}

async function isWithoutSearch(scene: Scene): Promise<boolean> {
  const till = await scene.loyaltyTill();
  return statusOf(await till.send("search", searchQuery(till.place, "9039993344"))) === 404;
}

async function expectFieldRefused(
  scene: Scene,
  { call, path, value }: { call: LoyaltyCallName; path: string; value: unknown },
): Promise<CheckResult> {
  const till = await scene.loyaltyTill();
  const label = value === undefined ? `no ${path}` : `${path} ${JSON.stringify(value).slice(0, 40)}`;
  const content = changedAt(contentOf(call, till), path, value);
  return expectRefused(await till.send(call, content, { label, ...pathWithout(call, path, till) }), 412, 999);
}

/** Returns the change of a GET call: its path without one query member. Empty for a call with a body, whose path does not change. */
function pathWithout(call: LoyaltyCallName, missing: string, till: LoyaltyTill): { path?: string } {
  if (call !== "search" && call !== "gift-card") return {};
  const query = new URLSearchParams(Object.entries(contentOf(call, till)).filter(([name]) => name !== missing) as [string, string][]);
  return { path: `${call === "search" ? "/counterparty" : "/giftcard"}?${query}` };
}

function contentOf(call: LoyaltyCallName, till: LoyaltyTill): object {
  const { place } = till;
  const customer = till.newCustomer();
  const line = till.line(9600, 1000);
  switch (call) {
    case "create":
      return createBody(place, customer, "CHECKED");
    case "search":
      return searchQuery(place, "9039993344");
    case "detail":
      return detailBody(place, customer);
    case "customer-code":
      return customerCodeBody(place, customer);
    case "recalc":
      return recalcBody(place, { lines: [line], transactionType: "EARNING" });
    case "sale-code":
      return saleCodeBody(place, customer);
    case "sale":
      return bodyOfSale(till, { id: till.newId(), customer: undefined, lines: [undiscounted(line)], spend: 0, earn: 0 });
    case "return":
      return bodyOfReturn(till, { lines: [undiscounted(line)] });
    case "gift-card":
      return giftCardQuery(place, "none");
  }
}

/** Returns a copy with another value at this path. Undefined removes the member. */
function changedAt(value: unknown, path: string, to: unknown): object {
  const copy = copyOf(value);
  const steps = path.split(".");
  const last = steps.pop() ?? "";
  let inner: Record<string, unknown> = copy;
  for (const step of steps) inner = inner[step] as Record<string, unknown>;
  if (to === undefined) delete inner[last];
  else inner[last] = to;
  return copy;
}

/** Copies plain objects and lists. Shares other objects, such as numbers with fixed decimals, with the original. */
function copyOf(value: unknown): Record<string, unknown> {
  const copied = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(copied);
    const isPlain = typeof inner === "object" && inner !== null && Object.getPrototypeOf(inner) === Object.prototype;
    return isPlain ? Object.fromEntries(Object.entries(inner).map(([name, member]) => [name, copied(member)])) : inner;
  };
  return copied(value) as Record<string, unknown>;
}
