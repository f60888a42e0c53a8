import { type CheckResult, held, inTurn, notApplicable } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { statusOf } from "../../exchanges/sent.ts";
import { declaresPayment, notDeclared } from "../../play/declared.ts";
import type { Scene } from "../../play/scene.ts";
import type { Till } from "../../play/till.ts";
import type { Group } from "../rule.ts";
import { expectDone, expectRefused } from "./answers.ts";

/** Two loaves of bread. */
const SALE_KOPECKS = 109_80;
const IN_KOPECKS = 100_00;
const CASH_SHORT = 51011;

/**
 * Money in the drawer. An answer does not say whether a payment was registered as cash. So most rules need an empty drawer, and then take
 * cash out: only what was registered as cash can be taken out.
 */
export const drawerGroup: Group = {
  id: "fiscal/drawer",
  needs: ["fiscal/error/shape", "fiscal/answer/retaildemand", "fiscal/answer/retaildrawercashout"],
  rules: [
    {
      id: "fiscal/drawer/non-cash",
      title: "card and QR payments put nothing into the drawer",
      source: "decided",
      clause: "fiscal-receipts 1.8 and 4.3",
      expected:
        "412 and 51011 for cash out of 109.80 from a drawer that was empty before a sale of 109.80 was paid by cardSum or qrSum alone, as far as paymentTypes declares it",
      mend: "Register cardSum and qrSum as non-cash (tag 1081): otherwise the shop's drawer is short in every report.",
      needs: ["fiscal/amounts/cash-short"],
      check: (scene) =>
        inTurn(
          [
            { type: "card", member: "cardSum" },
            { type: "qr", member: "qrSum" },
          ].filter(({ type }) => declaresPayment(scene.target, type) !== false),
          ({ member }) => `paid by ${member}`,
          ({ member }) => nonCash(scene, member),
        ),
    },
    {
      id: "fiscal/drawer/prepaid",
      title: "what was prepaid is registered, and is no cash",
      source: "decided",
      clause: "fiscal-receipts 4.3, tag 1215; platform-contracts 2.4, 4.4",
      expected:
        "200 for a sale paid by prepaymentCashSum, prepaymentCardSum, prepaymentQrSum or advanceSum alone where paymentTypes declares it (prepaymentCash …, advance), and then 412 and 51011 for cash out of 109.80 from a drawer that was empty before: the money came in another receipt",
      mend: "Register prepayments and advances as an offset (tag 1215), whatever they were once paid by.",
      needs: ["fiscal/amounts/cash-short"],
      check: async (scene) => {
        const offered = PREPAID.filter(({ type }) => declaresPayment(scene.target, type) !== false);
        if (offered.length === 0) return notApplicable("the descriptor declares no prepayment and no advance");
        return inTurn(
          offered,
          ({ member }) => `paid by ${member}`,
          ({ type, member }) => prepaid(scene, type, member),
        );
      },
    },
    {
      id: "fiscal/drawer/repeat",
      title: "cash in that comes twice is in the drawer once",
      source: "decided",
      clause: "interface 5, Idempotency; fiscal-receipts 1.8",
      expected:
        "412 and 51011 for cash out of 200.00 after the same cash in of 100.00 was sent twice to a drawer that was empty before: its answers look alike, the drawer tells",
      mend: "Keep cash in and out under their key like every other operation, and answer a repeat from there.",
      needs: ["fiscal/amounts/cash-short", "fiscal/answer/retaildrawercashin"],
      check: async (scene) => {
        const till = await scene.till();
        const never = notDeclared(scene.target, "retaildrawercashin");
        if (never !== undefined) return never;
        if (!(await isEmpty(till))) return NOT_EMPTY;
        const body = till.cashBody("in", IN_KOPECKS);
        await till.send("retaildrawercashin", body);
        await till.send("retaildrawercashin", body);
        const sent = await till.send("retaildrawercashout", till.cashBody("out", 2 * IN_KOPECKS));
        const once = expectRefused(sent, 412, CASH_SHORT);
        await till.send("retaildrawercashout", till.cashBody("out", IN_KOPECKS));
        return once;
      },
    },
    {
      id: "fiscal/drawer/scale",
      title: "sum of cash in and out is the amount multiplied by 100",
      source: "public",
      clause: "platform-contracts 4.5, sum; interface 6, Money unit",
      expected:
        '200 for cash out with "sum":"10980" after a sale for 109.80 in cash: it is 109.80 roubles, which the drawer has; and no 200 for cash out with "sum":"20000" after cash in with "sum":"10000" where the drawer was empty before',
      mend: "Divide sum by 100 in cash in and cash out, while prices and payments are roubles with a point (with this project's server: FISCAL_CASH_SCALE=100, FISCAL_MONEY_SCALE=1).",
      check: async (scene) => {
        const till = await scene.till();
        await till.sell();
        const out = expectDone(await till.send("retaildrawercashout", till.cashBody("out", SALE_KOPECKS)));
        const both = notDeclared(scene.target, "retaildrawercashin") === undefined && (await isEmpty(till));
        return out.kind === "held" && both ? expectCashInScale(till) : out;
      },
    },
  ],
};

const PREPAID = [
  { type: "prepaymentCash", member: "prepaymentCashSum" },
  { type: "prepaymentCard", member: "prepaymentCardSum" },
  { type: "prepaymentQr", member: "prepaymentQrSum" },
  { type: "advance", member: "advanceSum" },
];

/** Without a descriptor the server may refuse such a payment. If it accepts the payment, it must not register cash. */
async function prepaid(scene: Scene, type: string, member: string): Promise<CheckResult> {
  const never = notDeclared(scene.target, "retaildrawercashout");
  if (never !== undefined) return never;
  const till = await scene.till();
  const wasEmpty = await isEmpty(till);
  const sent = await till.send("retaildemand", till.saleBody({ payments: { [member]: "109.80" } }));
  const promised = declaresPayment(scene.target, type) === true;
  if (statusOf(sent) !== 200) return promised ? expectDone(sent) : notApplicable(`no descriptor declares ${type}, and it is not taken`);
  if (!wasEmpty) return promised ? held : NOT_EMPTY;
  return expectNoCash(till);
}

async function nonCash(scene: Scene, member: string): Promise<CheckResult> {
  const never = notDeclared(scene.target, "retaildrawercashout");
  if (never !== undefined) return never;
  const till = await scene.till();
  if (!(await isEmpty(till))) return NOT_EMPTY;
  await till.sell(till.saleBody({ payments: { [member]: "109.80" } }));
  return expectNoCash(till);
}

async function expectNoCash(till: Till): Promise<CheckResult> {
  return expectRefused(await till.send("retaildrawercashout", till.cashBody("out", SALE_KOPECKS)), 412, CASH_SHORT);
}

const NOT_EMPTY = notApplicable("the drawer of this register is not empty, so nothing shows what was put into it");

/** Puts cash in, and expects that twice the sum cannot be taken out. */
async function expectCashInScale(till: Till): Promise<CheckResult> {
  const put = expectDone(await till.send("retaildrawercashin", till.cashBody("in", IN_KOPECKS)));
  if (put.kind !== "held") return put;
  const sent = await till.send("retaildrawercashout", till.cashBody("out", 2 * IN_KOPECKS));
  return statusOf(sent) === 200 ? broken(sent, "200.00 could be taken out where 100.00 had been put in") : held;
}

async function isEmpty(till: Till): Promise<boolean> {
  return statusOf(await till.send("retaildrawercashout", till.cashBody("out", 1))) !== 200;
}
