import type { AnswerSpec, Endpoint } from "../../http/route.ts";
import type { PlatformProfile } from "../../kernel/platform-profile.ts";
import {
  balanceSchema,
  codeSchema,
  customerCodeSchema,
  customerSchema,
  detailSchema,
  errorsSchema,
  giftCardAnswerSchema,
  quoteSchema,
  recalcSchema,
  returnSchema,
  rowsSchema,
  saleCodeSchema,
  saleSchema,
} from "./schema.ts";

export type LoyaltyCallId = "enrol" | "search" | "detail" | "customerCode" | "recalc" | "saleCode" | "sale" | "return" | "giftCard";

/** The nine calls below the contract's base. The profile states the name of the header with the access key. */
export function loyaltyEndpoints({
  headers: { loyaltyToken: name },
}: Pick<PlatformProfile, "headers">): (Endpoint & { id: LoyaltyCallId })[] {
  const headers = [{ name, description: "The key that was given to the platform with the connection", required: true }];
  return CALLS.map((call) => ({ ...call, headers }));
}

const CODE_REFUSALS = ["412 28004: no code can be sent", "429 28005: a code was sent a moment ago, or too many were"] as const;

const CALLS: readonly (Endpoint & { id: LoyaltyCallId })[] = [
  {
    id: "enrol",
    method: "POST",
    path: "/counterparty",
    summary: "Make a customer a member",
    body: customerSchema,
    answers: [{ status: 201, description: "A member now, or before" }, ...refusals(["412 28001: confirm the customer by a code first"])],
  },
  {
    id: "search",
    method: "GET",
    path: "/counterparty",
    summary: "Find members by phone, card, e-mail address or name",
    description: "At most 20 rows. Query: `search` and `retailStoreId`. 404 where the programme leaves the search to the platform.",
    answers: [{ status: 200, description: "The members", body: rowsSchema }, ...refusals(["404 404: the platform searches itself"], "GET")],
  },
  {
    id: "detail",
    method: "POST",
    path: "/counterparty/detail",
    summary: "The balance of one member",
    body: detailSchema,
    answers: [
      { status: 200, description: "The points that can be spent now", body: balanceSchema },
      ...refusals(["404 28002: no such member"]),
    ],
  },
  {
    id: "customerCode",
    method: "POST",
    path: "/counterparty/verify",
    summary: "Send a code to a customer who is to become a member",
    body: customerCodeSchema,
    answers: [{ status: 200, description: "The code, which the till compares", body: codeSchema }, ...refusals(CODE_REFUSALS)],
  },
  {
    id: "recalc",
    method: "POST",
    path: "/retaildemand/recalc",
    summary: "Quote a sale: discounts, points that may be spent, points that will be earned",
    description: "Moves nothing. Positions come undiscounted and go back final, in their order.",
    body: recalcSchema,
    answers: [{ status: 200, description: "The sale as it is to be made", body: quoteSchema }, ...refusals([])],
  },
  {
    id: "saleCode",
    method: "POST",
    path: "/retaildemand/verify",
    summary: "Send a code to a member who spends points",
    body: saleCodeSchema,
    answers: [
      { status: 200, description: "The code, which the till compares", body: codeSchema },
      ...refusals(["404 28002: no such member", ...CODE_REFUSALS]),
    ],
  },
  {
    id: "sale",
    method: "POST",
    path: "/retaildemand",
    summary: "Book a sale that was made",
    description: "The same document again is answered 201 and moves nothing.",
    body: saleSchema,
    answers: [{ status: 201, description: "Booked" }, ...refusals(["409 28003: the document was booked with other content"])],
  },
  {
    id: "return",
    method: "POST",
    path: "/retailsalesreturn",
    summary: "Book a return that was made",
    description:
      "Goods of the sale move its points by their lines, at the sale's prices. Goods that the sale did not have add their share in the total: the smaller of their shares in the money paid and in the price without discounts gives points back, the larger takes points back.",
    body: returnSchema,
    answers: [
      { status: 201, description: "Booked, or waits for its sale" },
      ...refusals(["409 28003: the document was booked with other content", "412 28004: more is returned than was sold"]),
    ],
  },
  {
    id: "giftCard",
    method: "GET",
    path: "/giftcard",
    summary: "A gift card by its number",
    description: "Query: `name` and `retailStoreId`. Sums in minor units.",
    answers: [{ status: 200, description: "The card", body: giftCardAnswerSchema }, ...refusals(["404 28010: no such card"], "GET")],
  },
];

/** Returns the refusals of a call: the refusals that all calls of the method have, and `own`. Each text begins with its status. */
function refusals(own: readonly string[], method: "GET" | "POST" = "POST"): AnswerSpec[] {
  const ofBodies = [
    "400 400: the body is no JSON in UTF-8",
    "413 413: the body is larger than 1 MiB",
    "415 415: the body is not sent as JSON",
    "429 429: too many bodies at once; repeat it later",
  ];
  const shared = [
    ...(method === "POST" ? ofBodies : []),
    "401 999: the key is missing or wrong",
    "412 999: a field is missing or wrong",
    "500 28099: the programme cannot be reached; safe to repeat",
  ];
  const texts = new Map<number, string[]>();
  for (const line of [...shared, ...own]) {
    const status = Number(line.slice(0, 3));
    texts.set(status, [...(texts.get(status) ?? []), line.slice(4)]);
  }
  return [...texts].sort(([a], [b]) => a - b).map(([status, lines]) => ({ status, description: lines.join("; "), body: errorsSchema }));
}
