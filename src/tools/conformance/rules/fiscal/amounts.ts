import { inventMark } from "../../../sandbox/caller/marks.ts";
import { GOODS } from "../../../sandbox/caller/shop.ts";
import { SeededRandom } from "../../../seeded-random.ts";
import { inTurn } from "../../exchanges/check-result.ts";
import { notDeclared } from "../../play/declared.ts";
import type { Scene } from "../../play/scene.ts";
import type { Body, Till } from "../../play/till.ts";
import type { Group } from "../rule.ts";
import { expectDone, expectRefused } from "./answers.ts";

/** Payments for two loaves of bread at 109.80 together. */
const PAID = { exact: "109.80", nineMore: "109.89", nineLess: "109.71", tenLess: "109.70", tenMore: "109.90" };

/** Rules about sums, rates and numbers of marking codes (platform-contracts 4.5, interface 6). */
export const amountsGroup: Group = {
  id: "fiscal/amounts",
  needs: ["fiscal/error/shape", "fiscal/answer/retaildemand"],
  rules: [
    {
      id: "fiscal/amounts/payments-differ",
      title: "payments that differ from the positions are refused",
      source: "decided",
      clause: "interface 6, Payments against lines; platform-contracts 4.5",
      expected: "412 and 50001 for a sale of 109.80 that is paid 109.70, 109.90 or 50.00: a difference of 10 kopecks or more",
      mend: "Sum up the lines in whole kopecks, each rounded once (price × quantity × (100 − discount) / 100, half up), and compare with the sum of all payments.",
      check: (scene) =>
        inTurn(
          [PAID.tenLess, PAID.tenMore, "50.00"],
          (cashSum) => `paid ${cashSum} of ${PAID.exact}`,
          (cashSum) => refused(scene, () => ({ payments: { cashSum } }), 50001),
        ),
    },
    {
      id: "fiscal/amounts/return-differs",
      title: "payments of a return that differ from its positions are refused",
      source: "decided",
      clause: "interface 6, Payments against lines; platform-contracts 4.5",
      expected: "412 and 50001 for a return of 109.80 of which 109.70 is paid back",
      mend: "Check returns by the same function as sales.",
      needs: ["fiscal/amounts/payments-differ", "fiscal/answer/retaisalesreturn"],
      check: async (scene) => {
        const never = notDeclared(scene.target, "retaisalesreturn");
        if (never !== undefined) return never;
        const till = await scene.till();
        await till.sell();
        const body = till.returnBody(till.newId(), { payments: { cashSum: PAID.tenLess } });
        return expectRefused(await till.send("retaisalesreturn", body), 412, 50001);
      },
    },
    {
      id: "fiscal/amounts/small-difference",
      title: "a difference below 10 kopecks is evened out",
      source: "decided",
      clause: "interface 6, Payments against lines; platform-contracts 4.5",
      expected: "200 for a sale of 109.80 that is paid 109.71 or 109.89: the platform tolerates such differences and sends them",
      mend: "Change the largest position without a mark so that the receipt balances.",
      check: (scene) =>
        inTurn(
          [PAID.nineLess, PAID.nineMore],
          (cashSum) => `paid ${cashSum} of ${PAID.exact}`,
          async (cashSum) => {
            const till = await scene.till();
            return expectDone(await till.send("retaildemand", till.saleBody({ payments: { cashSum } })));
          },
        ),
    },
    {
      id: "fiscal/amounts/qr-alone",
      title: "payment by QR code never mixes with cash or card",
      source: "public",
      clause: "platform-contracts 4.5, combinations",
      expected: "412 and 50001 for qrSum beside cashSum or cardSum",
      mend: "Refuse the combination before anything is sent to a register.",
      check: (scene) =>
        inTurn(
          ["cashSum", "cardSum"],
          (other) => `qrSum with ${other}`,
          (other) => refused(scene, () => ({ payments: { qrSum: "100.00", [other]: "9.80" } }), 50001),
        ),
    },
    {
      id: "fiscal/amounts/advance-alone",
      title: "prepayment and advance never mix",
      source: "public",
      clause: "platform-contracts 4.5, combinations",
      expected: "412 and 50001 for prepaymentCashSum beside advanceSum",
      mend: "Refuse the combination before anything is sent to a register.",
      check: (scene) => refused(scene, () => ({ payments: { prepaymentCashSum: "100.00", advanceSum: "9.80" } }), 50001),
    },
    {
      id: "fiscal/amounts/vat-on-top",
      title: "vatIncluded false adds the VAT to the price",
      source: "public",
      clause: "platform-contracts 4.5",
      expected: "for two loaves at 54.90 with 10 % VAT and vatIncluded false: 200 when 120.78 is paid, 412 and 50001 when 109.80 is",
      mend: "Add the VAT of each line before the payments are compared; vatIncluded is true when it is absent.",
      check: async (scene) => {
        const till = await scene.till();
        const sale = (cashSum: string) => till.send("retaildemand", till.saleBody({ vatIncluded: false, payments: { cashSum } }));
        const taken = expectDone(await sale("120.78"));
        return taken.kind === "held" ? expectRefused(await sale(PAID.exact), 412, 50001) : taken;
      },
    },
    {
      id: "fiscal/amounts/kopecks",
      title: "a fraction of a kopeck is refused",
      source: "decided",
      clause: "interface 6, Money unit",
      expected: "412 and 999 (50001 is taken too) for a price of 54.905: amounts are never rounded silently",
      mend: "Count money in whole kopecks and refuse what does not fit.",
      check: (scene) => refused(scene, (till) => priced(till, "54.905"), 999, 50001),
    },
    {
      id: "fiscal/amounts/vat-20",
      title: "20 % VAT is refused in a sale of 2026",
      source: "decided",
      clause: "interface 6, VAT 5 and 7 %; fiscal-receipts 4.2",
      expected:
        "412 and 51020 for a position with vat 20 in a sale whose moment is in 2026 or later: the base rate has been 22 % since 2026-01-01",
      mend: "Check the rate against the document's date; take 20 % literally in returns of older sales.",
      check: (scene) =>
        refused(
          scene,
          (till) => ({ positions: (till.saleBody().positions as object[]).map((position) => ({ ...position, vat: 20 })) }),
          51020,
        ),
    },
    {
      id: "fiscal/amounts/more-marks-than-pieces",
      title: "more marking codes than pieces are refused",
      source: "decided",
      clause: "interface 6, Marks",
      expected: "412 and 50001 for one pair of shoes with two codes: one code is one piece",
      mend: "Compare the number of codes with the quantity; fewer are right, more are not.",
      check: async (scene) => {
        const till = await scene.till();
        const random = new SeededRandom(scene.services.chance.bytes(4).readUInt32LE());
        const marks = [1, 2].map(() => inventMark(GOODS.shoes.marked.group, GOODS.shoes.marked.gtin, random));
        const body = till.saleBody({}, [{ goods: GOODS.shoes, quantityThousandths: 1000, marks }]);
        return expectRefused(await till.send("retaildemand", body), 412, 50001);
      },
    },
    {
      id: "fiscal/amounts/cash-short",
      title: "more cash than the drawer holds cannot be taken out",
      source: "decided",
      clause: "interface 6, Error codes",
      expected: "412 and 51011 for cash out of 9 000 000.00, which is not in the drawer",
      mend: "Let the register keep the drawer's balance, and translate its refusal.",
      check: async (scene) => {
        const never = notDeclared(scene.target, "retaildrawercashout");
        if (never !== undefined) return never;
        const till = await scene.till();
        return expectRefused(await till.send("retaildrawercashout", till.cashBody("out", 9_000_000_00)), 412, 51011);
      },
    },
  ],
};

async function refused(scene: Scene, change: (till: Till) => Body, ...codes: number[]) {
  const till = await scene.till();
  return expectRefused(await till.send("retaildemand", till.saleBody(change(till))), 412, ...codes);
}

function priced(till: Till, price: string): Body {
  return { positions: (till.saleBody().positions as object[]).map((position) => ({ ...position, price })) };
}
