import { Failure } from "../../../kernel/failure.ts";
import type { BasketLine } from "../../sandbox/caller/basket.ts";
import { returnBody, saleBody, type TillContext } from "../../sandbox/caller/bodies.ts";
import type { FiscalOperation } from "../../sandbox/caller/fiscal-operation.ts";
import { GOODS } from "../../sandbox/caller/shop.ts";
import type { LoyaltyReceipt, LoyaltyStep } from "../loyalty-step.ts";
import { type DocumentStep, documentHead, type Step, type StepSource, shiftStep } from "../steps.ts";

/** The lines of each of the member's receipts. Most discounts do not divide evenly by three pieces. */
export const LOYALTY_LINES: readonly BasketLine[] = [
  { goods: GOODS.tea, quantityThousandths: 3000 },
  { goods: GOODS.bread, quantityThousandths: 2000 },
];

/**
 * Returns a shift with a member, who joins, earns points by one sale, spends points in a second sale, and returns the goods of the second
 * sale. The receipts have the lines of the programme's answers. After each sale the member must have the promised points. After the return
 * the member must have the points from before the second sale.
 */
export function loyaltySteps(source: StepSource): Step[] {
  const earning = newReceipt(source, false);
  const spending = newReceipt(source, true);
  return [
    { ...shiftStep(source, "openshift", "open shift, loyalty"), newShift: true },
    step("connect", "loyalty on"),
    step("join", "member joins"),
    receiptStep("quote", "points to earn", earning),
    documentStep("sale, member earns", "retaildemand", earning, (till) => saleBody(till, tradeOf(earning, earning.saleId))),
    receiptStep("tell", "points earned", earning),
    receiptStep("quote", "points to spend", spending),
    documentStep("sale, member spends", "retaildemand", spending, (till) => saleBody(till, tradeOf(spending, spending.saleId))),
    receiptStep("tell", "points spent", spending),
    documentStep("return, member", "retaisalesreturn", spending, (till) =>
      returnBody(till, { ...tradeOf(spending, spending.returnId), demandId: spending.saleId }),
    ),
    receiptStep("give-back", "points back", spending),
    shiftStep(source, "closeshift", "close shift, loyalty"),
  ];
}

function step(does: "connect" | "join", title: string): LoyaltyStep {
  return { kind: "loyalty", does, title };
}

function receiptStep(does: "quote" | "tell" | "give-back", title: string, receipt: LoyaltyReceipt): LoyaltyStep {
  return { kind: "loyalty", does, title, receipt };
}

function newReceipt(source: StepSource, spends: boolean): LoyaltyReceipt {
  const { chance } = source;
  return { saleId: chance.uuid(), returnId: chance.uuid(), ...documentHead(source), spends };
}

/** Returns the step of a document that was quoted before. The document's sum is known only after the quote. */
function documentStep(
  title: string,
  operation: FiscalOperation,
  receipt: LoyaltyReceipt,
  body: (till: TillContext) => object,
): DocumentStep {
  return {
    kind: "document",
    title,
    get sumKopecks() {
      return quotedOf(receipt).sumKopecks;
    },
    effect: { operation, drawerKopecks: 0 },
    body,
  };
}

function tradeOf(receipt: LoyaltyReceipt, id: string) {
  const { lines, sumKopecks } = quotedOf(receipt);
  const { name, moment } = receipt;
  const sold = lines.map(({ goodsIndex, quantityThousandths, discountedKopecks }): BasketLine => {
    const goods = LOYALTY_LINES[goodsIndex]?.goods ?? GOODS.bread;
    return { goods: { ...goods, priceKopecks: discountedKopecks }, quantityThousandths };
  });
  return { id, name, moment, lines: sold, payments: { cardKopecks: sumKopecks } };
}

function quotedOf({ quoted }: LoyaltyReceipt) {
  if (quoted === undefined) throw new Failure("step-missing", "fault", "the receipt was not quoted before");
  return quoted;
}
