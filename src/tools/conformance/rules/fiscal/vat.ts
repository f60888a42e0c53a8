import { type CheckResult, inTurn } from "../../exchanges/check-result.ts";
import { notDeclared } from "../../play/declared.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group } from "../rule.ts";
import { expectDone, expectRefused } from "./answers.ts";
import { withPosition } from "./sales.ts";

/** With this many lines, a difference of one kopeck in each line exceeds the platform's tolerance of ten kopecks. */
const LINES = 30;
const MANY = "fiscal/variety/several-positions";

/** VAT, as far as accepted and refused documents reveal the server's computation (platform-contracts 4.5, fiscal-receipts 5). */
export const vatGroup: Group = {
  id: "fiscal/vat",
  needs: ["fiscal/error/shape", "fiscal/answer/retaildemand"],
  rules: [
    {
      id: "fiscal/vat/return-at-20",
      title: "20 % VAT is taken in a return",
      source: "decided",
      clause: "interface 6, VAT 5 and 7 %; fiscal-receipts 0.1 and 4.2",
      expected:
        "200 for a return with vat 20, whatever its moment: goods sold before 2026 go back at the rate they were sold at, and only sales are refused it",
      mend: "Check the rate against the date in sales only; a return keeps the rate of its sale.",
      needs: ["fiscal/answer/retaisalesreturn", "fiscal/variety/free-return"],
      check: async (scene) => {
        const never = notDeclared(scene.target, "retaisalesreturn");
        if (never !== undefined) return never;
        const till = await scene.till();
        await till.sell();
        const { demand: _, ...body } = till.returnBody(till.newId());
        const positions = (body.positions as object[]).map((position) => ({ ...position, vat: 20 }));
        return expectDone(await till.send("retaisalesreturn", { ...body, positions }));
      },
    },
    {
      id: "fiscal/vat/none-on-top",
      title: "vatIncluded false adds nothing where there is no VAT",
      source: "public",
      clause: "platform-contracts 4.5, vatEnabled and vatIncluded",
      expected:
        "for two loaves at 54.90 with vatIncluded false and vatEnabled false, in the position or in the document, vat 10 beside it: 200 when 109.80 is paid, 412 and 50001 when 120.78 is",
      mend: "Look at vatEnabled, the document's and the position's, before vat: without VAT there is nothing to add.",
      needs: ["fiscal/amounts/vat-on-top"],
      check: (scene) =>
        inTurn(
          ["position", "document"],
          (where) => `vatEnabled false in the ${where}`,
          async (where) => {
            const till = await scene.till();
            const untaxed = { vat: 10, vatEnabled: where === "document" };
            const sale = (cashSum: string) =>
              till.send("retaildemand", {
                ...withPosition(till, untaxed),
                ...{ vatEnabled: where === "position", vatIncluded: false, payments: { cashSum } },
              });
            const taken = expectDone(await sale("109.80"));
            return taken.kind === "held" ? expectRefused(await sale("120.78"), 412, 50001) : taken;
          },
        ),
    },
    {
      id: "fiscal/vat/rounding",
      title: "VAT on top is rounded half up to the kopeck",
      source: "decided",
      clause: "fiscal-receipts 5, rules 3 and 5; interface 6, VAT totals",
      expected:
        "for 30 positions of one piece at 0.25 with 22 % VAT and vatIncluded false (0.305, so 0.31 each): 200 when 9.30 is paid, 412 and 50001 when 9.00 is",
      mend: "Round each price with its VAT half up in whole kopecks: not to even, not down, and not the sum alone.",
      needs: ["fiscal/amounts/vat-on-top", MANY, "fiscal/amounts/payments-differ"],
      check: (scene) => rounded(scene, { price: "0.25", vat: 22 }, { vatIncluded: false }, { right: "9.30", wrong: "9.00" }),
    },
    {
      id: "fiscal/vat/line-rounding",
      title: "a line's total is rounded half up to the kopeck",
      source: "decided",
      clause: "platform-contracts 4.5, line total; fiscal-receipts 5, rule 2",
      expected:
        "for 30 positions of one piece at 0.25 with a discount of 50 % (0.125, so 0.13 each): 200 when 3.90 is paid, 412 and 50001 when 3.60 is",
      mend: "Compute price × quantity × (100 − discount) / 100 in one step and round it half up, line by line; then add up.",
      needs: [MANY, "fiscal/amounts/payments-differ"],
      check: (scene) => rounded(scene, { price: "0.25", discount: "50" }, {}, { right: "3.90", wrong: "3.60" }),
    },
  ],
};

async function rounded(scene: Scene, line: object, document: object, paid: { right: string; wrong: string }): Promise<CheckResult> {
  const till = await scene.till();
  const sale = (cashSum: string) => {
    const body = withPosition(till, { quantity: 1, ...line });
    const [position] = body.positions as object[];
    return till.send("retaildemand", {
      ...body,
      ...document,
      positions: Array.from({ length: LINES }, () => position),
      payments: { cashSum },
    });
  };
  const taken = expectDone(await sale(paid.right));
  return taken.kind === "held" ? expectRefused(await sale(paid.wrong), 412, 50001) : taken;
}
