import type { Chance, Clock } from "../../kernel/clock.ts";
import { type BasketLine, basketKopecks } from "../sandbox/caller/basket.ts";
import { cashBody, returnBody, saleBody, shiftBody, type TillContext } from "../sandbox/caller/bodies.ts";
import type { FiscalOperation } from "../sandbox/caller/fiscal-operation.ts";
import { inventMark } from "../sandbox/caller/marks.ts";
import { GOODS, type Goods } from "../sandbox/caller/shop.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { type Effect, moscowTime } from "./ledger.ts";
import type { LoyaltyStep } from "./loyalty-step.ts";
import type { QrStep } from "./qr-step.ts";

export type Step = QrStep | LoyaltyStep | FiscalStep;

type FiscalStep = { title: string; sumKopecks?: number } & (
  | { kind: "install" | "uninstall" }
  /** A new document, which must be registered. `newShift`: the document begins another shift of the platform. */
  | { kind: "document"; effect: Effect; body: BodyOf; newShift?: true }
  | { kind: "repeat"; of: string }
  | { kind: "refused"; operation: FiscalOperation; body: BodyOf; status: number; code: number }
);

export type DocumentStep = Step & { kind: "document" };

/** Makes the body for a till and its shift. After an expired shift, the next attempt uses another shift. */
export type BodyOf = (till: TillContext) => object;

/** The change money in the drawer at the beginning of the day. */
const FLOAT_KOPECKS = 2000_00;
/** The card part of the mixed sale. */
const CARD_PART_KOPECKS = 300_00;

export interface StepSource {
  clock: Clock;
  chance: Chance;
  random: SeededRandom;
}

/**
 * Returns a day in a small shop: every document of the contract, payments by cash, by card and by both, and each kind of goods. `further`:
 * more steps of the same shift. `drawerKnown`: the drawer holds only the cash of this day. `behind`: the steps between the shift and the
 * removal of the solution.
 */
export function demoSteps(source: StepSource, further: readonly Step[], drawerKnown = true, behind: readonly Step[] = []): Step[] {
  const sales = salesOf(source);
  const [cashSale] = sales;
  const trade: Step[] = [
    ...sales.map((made) => made.step),
    // The repeat must change nothing. The number of the next document proves that nothing was registered.
    { kind: "repeat", title: "the cash sale again", of: cashSale.step.title },
    returnStep(source, "return of a part", cashSale),
    ...further,
  ];
  const drawerKopecks = FLOAT_KOPECKS + sumOfDrawer(trade);
  return [
    { kind: "install", title: "install" },
    shiftStep(source, "openshift", "open shift"),
    cashStep(source, "retaildrawercashin", "cash in", FLOAT_KOPECKS),
    ...trade,
    ...(drawerKnown ? [tooMuchCash(source, drawerKopecks)] : []),
    cashStep(source, "retaildrawercashout", "cash out", drawerKopecks),
    shiftStep(source, "closeshift", "close shift"),
    ...behind,
    { kind: "uninstall", title: "uninstall" },
    afterUninstall(source),
  ];
}

export interface Sale {
  id: string;
  lines: BasketLine[];
  step: DocumentStep;
}

function salesOf(source: StepSource): [Sale, ...Sale[]] {
  const mark = (goods: Goods) => inventMark(goods.marked?.group ?? "shoes", goods.marked?.gtin ?? "", source.random);
  return [
    sale(source, "sale, cash", [line(GOODS.bread, 2), line(GOODS.tea, 1), line(GOODS.bag, 1)], "cash"),
    sale(source, "sale, card", [line(GOODS.batteries, 2), line(GOODS.pasta, 3)], "card", { email: "buyer@mail.example" }),
    sale(source, "sale, mixed, discount", [line(GOODS.soap, 3, 10_00), line(GOODS.pasta, 3, 33_33), line(GOODS.delivery, 1)], "mixed", {
      phone: "+70000000000",
      idType: "sync",
    }),
    sale(source, "sale, weighed goods", [weighed(GOODS.cheese, 356), weighed(GOODS.apples, 1248)], "cash"),
    sale(source, "sale, two marked goods", [
      { ...line(GOODS.shoes, 1), marks: [mark(GOODS.shoes)] },
      { ...line(GOODS.dress, 1, 15_00), marks: [{ cis: mark(GOODS.dress) }] },
    ]),
    sale(source, "sale, two VAT rates", [line(GOODS.bread, 1), line(GOODS.soap, 1)], "cash"),
  ];
}

type Payment = "cash" | "card" | "mixed";

export function sale(
  source: StepSource,
  title: string,
  lines: BasketLine[],
  payment: Payment = "card",
  extra: { email?: string; phone?: string; idType?: "native" | "sync" } = {},
): Sale {
  const id = source.chance.uuid();
  const sumKopecks = basketKopecks(lines);
  const cardKopecks = { cash: 0, card: sumKopecks, mixed: CARD_PART_KOPECKS }[payment];
  const payments = { cashKopecks: sumKopecks - cardKopecks, cardKopecks };
  const document = { ...documentHead(source), id, lines, payments, ...extra };
  const body: BodyOf = (till) => saleBody(till, document);
  return {
    id,
    lines,
    step: { kind: "document", title, sumKopecks, effect: { operation: "retaildemand", drawerKopecks: payments.cashKopecks }, body },
  };
}

/** Makes the step of a return for cash: one piece of the sale's first line, or all of the line if less was sold. */
export function returnStep(source: StepSource, title: string, { id, lines }: Sale): DocumentStep {
  const back = lines.slice(0, 1).map((sold) => ({ ...sold, quantityThousandths: Math.min(sold.quantityThousandths, 1000) }));
  const sumKopecks = basketKopecks(back);
  const payments = { cashKopecks: sumKopecks };
  const document = { ...documentHead(source), id: source.chance.uuid(), demandId: id, lines: back, payments };
  const body: BodyOf = (till) => returnBody(till, document);
  return { kind: "document", title, sumKopecks, effect: { operation: "retaisalesreturn", drawerKopecks: -sumKopecks }, body };
}

export function shiftStep(source: Pick<StepSource, "clock">, operation: "openshift" | "closeshift", title: string): DocumentStep {
  const moment = moscowTime(source.clock.nowMs());
  const body: BodyOf = (till) => shiftBody(till, operation === "openshift" ? "open" : "close", moment);
  return { kind: "document", title, effect: { operation, drawerKopecks: 0 }, body };
}

export function cashStep(
  source: StepSource,
  operation: "retaildrawercashin" | "retaildrawercashout",
  title: string,
  sumKopecks: number,
): DocumentStep {
  const goesIn = operation === "retaildrawercashin";
  const slip = { ...documentHead(source), id: source.chance.uuid(), sumKopecks };
  const body: BodyOf = (till) => cashBody(till, goesIn ? "in" : "out", slip);
  return { kind: "document", title, sumKopecks, effect: { operation, drawerKopecks: goesIn ? sumKopecks : -sumKopecks }, body };
}

/**
 * Returns the step of a cash out that must be refused, because it is one kopeck more than the drawer holds. This refusal and the next cash
 * out together prove the drawer's exact sum.
 */
function tooMuchCash(source: StepSource, drawerKopecks: number): Step {
  const sumKopecks = drawerKopecks + 1;
  const slip = { ...documentHead(source), id: source.chance.uuid(), sumKopecks };
  const body: BodyOf = (till) => cashBody(till, "out", slip);
  return {
    kind: "refused",
    title: "cash out, a kopeck too much",
    sumKopecks,
    operation: "retaildrawercashout",
    body,
    status: 412,
    code: 51011,
  };
}

function afterUninstall(source: StepSource): Step {
  const lines = [line(GOODS.bread, 1)];
  const document = { ...documentHead(source), id: source.chance.uuid(), lines, payments: { cashKopecks: basketKopecks(lines) } };
  const body: BodyOf = (till) => saleBody(till, document);
  return { kind: "refused", title: "sale after uninstall", operation: "retaildemand", body, status: 412, code: 12017 };
}

/** Returns the platform's number of a document, and its moment. */
export function documentHead({ clock, random }: StepSource): { name: string; moment: string } {
  return { name: random.text("0123456789", 5), moment: moscowTime(clock.nowMs()) };
}

function sumOfDrawer(steps: Step[]): number {
  return steps.reduce((sum, step) => sum + (step.kind === "document" ? step.effect.drawerKopecks : 0), 0);
}

function line(goods: Goods, pieces: number, discountHundredths = 0): BasketLine {
  return { goods, quantityThousandths: pieces * 1000, discountHundredths };
}

function weighed(goods: Goods, grams: number): BasketLine {
  return { goods, quantityThousandths: grams };
}
