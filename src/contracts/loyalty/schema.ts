import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import { MAX_PERSONAL_LENGTH } from "../../loyalty/members/personal-schema.ts";
import {
  agent,
  assortment,
  id,
  MAX_POSITIONS,
  minorUnits,
  moment,
  optionalText,
  percent,
  phone,
  points,
  quantity,
  retailStore,
  roubles,
  serials,
  text,
  wantedPoints,
} from "./fields.ts";

const MAX_GIFT_CARDS = 100;
const MAX_SEARCH_LENGTH = 255;

const buyer = {
  meta: z
    .object({ id: id.optional(), href: text(4_000).nullish(), idType: z.enum(["native", "sync"]).nullish().catch("native") })
    .nullish(),
  syncId: id.nullish(),
  discountCardNumber: optionalText(),
  phone: phone(),
  email: optionalText(),
  legalFirstName: optionalText(),
  legalMiddleName: optionalText(),
  legalLastName: optionalText(),
  birthDate: optionalText(),
  sex: z.enum(["MALE", "FEMALE"]).nullish(),
};

/** POST /counterparty. */
export const customerSchema = z.object({
  ...buyer,
  retailStore,
  name: text(MAX_PERSONAL_LENGTH).min(1).describe("The buyer's name"),
  statusCheck: z.enum(["UNCHECKED", "CHECKED", "IGNORE"]).nullish(),
});

/** POST /counterparty/detail. `meta.id` is required, because the call is about exactly one customer. */
export const detailSchema = z.object({ ...buyer, meta: z.object({ id, href: text(4_000).nullish() }), retailStore, name: optionalText() });

/** POST /counterparty/verify. The customer is to become a member, so `meta.id` may be missing. */
export const customerCodeSchema = z.object({ ...buyer, retailStore, name: optionalText() });

/** POST /retaildemand/verify. */
export const saleCodeSchema = z.object({ retailStore, counterpartyId: id, phone: phone() });

/** POST /retaildemand/recalc. */
export const recalcSchema = z.object({
  retailStore,
  agent,
  positions: boundedList(
    z.object({
      assortment,
      quantity: quantity(),
      price: roubles(),
      sn: serials,
      pack: z.record(z.string().max(255), z.unknown()).nullish(),
    }),
    { max: MAX_POSITIONS },
  ),
  bonusProgram: z.object({ transactionType: z.enum(["EARNING", "SPENDING"]).nullish() }).nullish(),
  preferredBonusToSpend: z.union([z.null(), wantedPoints()]).optional(),
});

const soldPosition = z.object({
  assortment,
  quantity: quantity(),
  price: roubles(),
  discountPercent: percent().optional(),
  discountedPrice: roubles().optional(),
});

/**
 * Names a document by id or address. A return may state the id or address of its sale with or without `meta` (platform-contracts 6.3).
 */
const reference = { id: z.union([id, z.literal("")]).nullish(), href: text(4_000).nullish() };

const order = {
  retailStore,
  meta: z.object(reference).nullish(),
  name: text(),
  moment,
  agent,
  cashSum: roubles().optional(),
};

/** POST /retaildemand. */
export const saleSchema = z.object({
  ...order,
  positions: boundedList(soldPosition, { max: MAX_POSITIONS }).nullish(),
  bonusProgram: z.object({ bonusValueToSpend: points().optional(), bonusValueToEarn: points().optional() }).nullish(),
  noCashSum: roubles().optional(),
  giftCards: boundedList(z.object({ id, name: text(), paymentSum: minorUnits() }), { max: MAX_GIFT_CARDS }).nullish(),
});

/** POST /retailsalesreturn. `noCashSum` is in minor units here, but in roubles in a sale. Here it is not used (platform-contracts 6.5). */
export const returnSchema = z.object({
  ...order,
  positions: boundedList(soldPosition, { max: MAX_POSITIONS }),
  demand: z.object({ meta: z.object(reference).nullish(), ...reference }).nullish(),
  noCashSum: z.unknown().optional(),
});

/** The query of GET /counterparty. */
export const searchSchema = z.object({ search: z.string().min(1).max(MAX_SEARCH_LENGTH), retailStoreId: id });
/** The query of GET /giftcard. */
export const giftCardSchema = z.object({ name: z.string().min(1).max(MAX_SEARCH_LENGTH), retailStoreId: id });

export const balanceSchema = z.object({ bonusProgram: z.object({ agentBonusBalance: z.number() }) });
export const codeSchema = z.object({ verificationCode: z.string(), timeForRepeat: z.number(), messageForCashier: z.string() });
export const rowsSchema = z.object({ rows: boundedList(z.object({ id: z.string(), name: z.string() }), { max: 20 }) });
export const quoteSchema = z.object({
  agent: z.unknown().optional(),
  positions: boundedList(z.object({ quantity: z.number(), price: z.number(), discountPercent: z.number(), discountedPrice: z.number() }), {
    max: MAX_POSITIONS * 2,
  }),
  bonusProgram: z.object({
    transactionType: z.enum(["EARNING", "SPENDING"]),
    agentBonusBalance: z.number(),
    bonusValueToSpend: z.number(),
    bonusValueToEarn: z.number(),
    agentBonusBalanceAfter: z.number(),
    paidByBonusPoints: z.number(),
    receiptExtraInfo: z.string(),
  }),
  needVerification: z.boolean(),
});
export const giftCardAnswerSchema = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(["CAN_BE_USED", "PARTIALLY_REDEEMED", "EXPIRED", "REDEEMED", "INVALID"]),
  currentBalance: z.number().optional(),
  initialBalance: z.number().optional(),
  expireDate: z.string().optional(),
});
export const errorsSchema = z.object({
  errors: boundedList(
    z.object({ error: z.string(), code: z.number().int(), error_message: z.string(), parameter: z.string().optional() }),
    { max: 1 },
  ),
});

export type CustomerBody = z.output<typeof customerSchema>;
export type DetailBody = z.output<typeof detailSchema>;
export type CustomerCodeBody = z.output<typeof customerCodeSchema>;
export type RecalcBody = z.output<typeof recalcSchema>;
export type SaleBody = z.output<typeof saleSchema>;
export type ReturnBody = z.output<typeof returnSchema>;
export type AgentBody = z.output<typeof agent>;

type ReadAs<Value> = { kind: "read"; value: Value } | { kind: "wrong"; parameter: string };

/** Reads a body or query. `parameter`: the path of the first wrong field; empty when the body is no object. */
export function readAs<Value>(schema: z.ZodType<Value>, value: unknown): ReadAs<Value> {
  const read = schema.safeParse(value);
  if (read.success) return { kind: "read", value: read.data };
  return { kind: "wrong", parameter: read.error.issues[0]?.path.join(".") ?? "" };
}
