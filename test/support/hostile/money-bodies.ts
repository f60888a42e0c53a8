import { notificationSchema as tbankNotification } from "../../../src/acquirers/tbank/schema.ts";
import { notificationSchema as yookassaNotification } from "../../../src/acquirers/yookassa/schema.ts";
import {
  customerCodeSchema,
  customerSchema,
  detailSchema,
  recalcSchema,
  returnSchema,
  saleCodeSchema,
  saleSchema,
} from "../../../src/contracts/loyalty/schema.ts";
import { operationSchema } from "../../../src/contracts/qrpay/schema.ts";
import { systemChance, systemClock } from "../../../src/kernel/clock.ts";
import type { Call } from "../../../src/tools/sandbox/caller/call.ts";
import {
  agentOf,
  createBody,
  customerCodeBody,
  detailBody,
  recalcBody,
  returnBody,
  saleBody,
  saleCodeBody,
} from "../../../src/tools/sandbox/caller/loyalty/bodies.ts";
import { loyaltyCall } from "../../../src/tools/sandbox/caller/loyalty/call.ts";
import { qrCall } from "../../../src/tools/sandbox/caller/qr-call.ts";
import type { QrKey } from "../../../src/tools/sandbox/caller/qr-key.ts";
import { makeQrToken } from "../../../src/tools/sandbox/caller/qr-token.ts";
import type { BodyOfContract } from "./contract-body.ts";

/** The keys and secrets of an account for calls of QR payment, loyalty and bank notifications. */
export interface MoneyAccess {
  api: string;
  accountId: string;
  storeId: string;
  qr: { key: QrKey; issuer: string };
  loyalty: { header: string; token: string };
  /** The secret last parts of the addresses to which the banks send. */
  hooks: Record<"tbank" | "yookassa", string>;
}

const TOKEN_LIFE_S = 60;

/** The bodies of the contracts about money other than receipts. */
export function moneyBodies(access: MoneyAccess): BodyOfContract[] {
  return [...qrBodies(access), ...loyaltyBodies(access), ...hookBodies(access)];
}

function qrBodies({ accountId, storeId, qr }: MoneyAccess): BodyOfContract[] {
  const maker = { issuer: qr.issuer, lifeS: TOKEN_LIFE_S, clock: systemClock, chance: systemChance };
  const example = () => ({ accountId, retailStoreId: storeId, operationId: systemChance.uuid(), amount: 100 });
  return (["create", "state", "cancel"] as const).map((name) => ({
    contract: "qr",
    name: `qr ${name}`,
    schema: operationSchema,
    example,
    call: (body) => ({ ...qrCall(name, example(), makeQrToken(qr.key, maker)), body }),
  }));
}

function loyaltyBodies({ api, storeId, loyalty }: MoneyAccess): BodyOfContract[] {
  const place = { api, storeId };
  const customer = () => ({ id: systemChance.uuid(), syncId: systemChance.uuid(), name: "Buyer", phone: "+79990000000" });
  const line = () => ({ assortmentId: systemChance.uuid(), quantityThousandths: 1_000, priceKopecks: 10_000, serials: ["sn-1"] });
  const sold = () => ({ ...line(), discountedKopecks: 10_000, percentHundredths: 0 });
  const order = () => ({
    ...{ id: systemChance.uuid(), name: "00001", moment: "2026-11-13 10:00:00", agent: agentOf(place, customer()) },
    ...{ lines: [sold()], cashKopecks: 10_000, noCashKopecks: 0 },
  });
  const bodies = [
    ["create", customerSchema, () => createBody(place, customer(), "CHECKED")],
    ["detail", detailSchema, () => detailBody(place, customer())],
    ["customer-code", customerCodeSchema, () => customerCodeBody(place, customer())],
    ["sale-code", saleCodeSchema, () => saleCodeBody(place, customer())],
    ["recalc", recalcSchema, () => recalcBody(place, { agent: agentOf(place, customer()), lines: [line()], transactionType: "EARNING" })],
    ["sale", saleSchema, () => saleBody(place, { ...order(), bonus: { spend: 0, earn: 1 } })],
    ["return", returnSchema, () => returnBody(place, { ...order(), demandId: systemChance.uuid() })],
  ] as const;
  return bodies.map(([name, schema, example]) => ({
    contract: "loyalty",
    name: `loyalty ${name}`,
    schema,
    example: () => JSON.parse(loyaltyCall(name, example(), loyalty).body?.toString() ?? "{}") as object,
    call: (body) => {
      const call = loyaltyCall(name, {}, loyalty);
      return { ...call, path: `/loyalty${call.path}`, body };
    },
  }));
}

/** The notifications of the banks, which are not proved yet when they are read. */
function hookBodies({ hooks }: MoneyAccess): BodyOfContract[] {
  const post = (bank: keyof typeof hooks, body: Buffer): Call => {
    return { method: "POST", path: `/hooks/${bank}/${hooks[bank]}`, headers: { "content-type": "application/json" }, body };
  };
  const tbank = () => ({
    ...{ TerminalKey: "terminal", OrderId: systemChance.uuid(), Success: true, Status: "CONFIRMED", PaymentId: 13_660 },
    ...{ ErrorCode: "0", Amount: 100, Token: "0".repeat(64) },
  });
  const yookassa = () => ({
    ...{ type: "notification", event: "payment.succeeded" },
    object: { id: systemChance.uuid(), status: "succeeded", amount: { value: "1.00", currency: "RUB" }, metadata: { paymentId: "1" } },
  });
  const limit = { limitBytes: HOOK_LIMIT_BYTES };
  return [
    { contract: "tbank", name: "tbank hook", schema: tbankNotification, example: tbank, call: (body) => post("tbank", body), ...limit },
    {
      ...{ contract: "yookassa", name: "yookassa hook", schema: yookassaNotification, example: yookassa },
      ...{ call: (body) => post("yookassa", body), ...limit },
    },
  ];
}

/** The largest body that a bank may send (payments surface 4). */
const HOOK_LIMIT_BYTES = 64 * 1024;
