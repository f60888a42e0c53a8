import type { BasketLine } from "../sandbox/caller/basket.ts";
import { GOODS } from "../sandbox/caller/shop.ts";
import { cashStep, type DocumentStep, returnStep, type Sale, type StepSource, sale } from "./steps.ts";

/** A shop sells more often than it takes goods back or puts cash in. */
const SHARE_OF_RETURNS = 0.15;
const SHARE_OF_CASH_IN = 0.25;
const MAX_LINES = 4;
const PLAIN_GOODS = [GOODS.bread, GOODS.pasta, GOODS.tea, GOODS.soap, GOODS.batteries, GOODS.bag, GOODS.cheese, GOODS.apples];

/** Returns more steps of the day, chosen by the seed, because many kills need many operations. */
export function furtherSteps(source: StepSource, count: number): DocumentStep[] {
  const sales: Sale[] = [];
  return Array.from({ length: count }, (_, index) => {
    const title = `further ${index + 1}`;
    const chance = source.random.fraction();
    const lastSale = sales.pop();
    if (lastSale !== undefined && chance < SHARE_OF_RETURNS) return returnStep(source, `${title}, return`, lastSale);
    if (chance < SHARE_OF_RETURNS + SHARE_OF_CASH_IN) {
      return cashStep(source, "retaildrawercashin", `${title}, cash in`, 100 * (1 + source.random.below(1000)));
    }
    const made = sale(source, `${title}, sale`, basket(source), source.random.fraction() < 0.5 ? "cash" : "card");
    sales.push(made);
    return made.step;
  });
}

function basket({ random }: StepSource): BasketLine[] {
  return Array.from({ length: 1 + random.below(MAX_LINES) }, () => {
    const goods = PLAIN_GOODS[random.below(PLAIN_GOODS.length)] ?? GOODS.bread;
    const weighed = goods.unit.name === "кг";
    return {
      goods,
      quantityThousandths: weighed ? 50 + random.below(3000) : 1000 * (1 + random.below(5)),
      discountHundredths: random.fraction() < 0.3 ? random.below(50_00) : 0,
    };
  });
}
