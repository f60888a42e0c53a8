import { type BasketLine, basketKopecks } from "../../sandbox/caller/basket.ts";
import { returnBody, saleBody } from "../../sandbox/caller/bodies.ts";
import { GOODS } from "../../sandbox/caller/shop.ts";
import type { QrPayment, QrStep } from "../qr-step.ts";
import { type BodyOf, type DocumentStep, documentHead, type Step, type StepSource, shiftStep } from "../steps.ts";

/** An amount that nobody pays at the simulated bank (payments surface 7). At a fake bank the buyer pays only when the demo says so. */
const UNPAID_KOPECKS = 300_02;
const LINES: readonly BasketLine[] = [
  { goods: GOODS.soap, quantityThousandths: 1000 },
  { goods: GOODS.bread, quantityThousandths: 1000 },
];

/**
 * Returns a shift with QR payments: a sale, a cancelled payment, and a return of the whole sale. The last payment step asks for a refund of
 * one more kopeck. The refusal proves that the server counts the whole sum as refunded.
 */
export function qrSteps(source: StepSource): Step[] {
  const { chance } = source;
  const sumKopecks = basketKopecks(LINES);
  const paid: QrPayment = { operationId: chance.uuid(), amount: sumKopecks };
  const unpaid: QrPayment = { operationId: chance.uuid(), amount: UNPAID_KOPECKS };
  const saleId = chance.uuid();
  return [
    { ...shiftStep(source, "openshift", "open shift, QR"), newShift: true },
    step("create", "QR code", paid),
    step("pay", "QR paid", paid),
    saleStep(source, saleId, sumKopecks),
    step("create", "QR code, buyer walks away", unpaid),
    step("cancel", "QR cancelled", unpaid),
    returnStep(source, saleId, sumKopecks),
    step("refund", "QR money back", paid),
    step("refund-too-much", "QR, a kopeck too much", { ...paid, amount: 1 }),
    shiftStep(source, "closeshift", "close shift, QR"),
  ];
}

function step(does: QrStep["does"], title: string, payment: QrPayment): QrStep {
  return { kind: "qr", does, title, sumKopecks: payment.amount, payment };
}

function saleStep(source: StepSource, id: string, sumKopecks: number): DocumentStep {
  const document = { ...documentHead(source), id, lines: LINES, payments: { qrKopecks: sumKopecks } };
  const body: BodyOf = (till) => saleBody(till, document);
  return { kind: "document", title: "sale, QR", sumKopecks, effect: { operation: "retaildemand", drawerKopecks: 0 }, body };
}

/** A sale that was paid by QR can only be returned by QR (platform-contracts 5.1). */
function returnStep(source: StepSource, demandId: string, sumKopecks: number): DocumentStep {
  const document = { ...documentHead(source), id: source.chance.uuid(), demandId, lines: LINES, payments: { qrKopecks: sumKopecks } };
  const body: BodyOf = (till) => returnBody(till, document);
  return { kind: "document", title: "return, QR", sumKopecks, effect: { operation: "retaisalesreturn", drawerKopecks: 0 }, body };
}
