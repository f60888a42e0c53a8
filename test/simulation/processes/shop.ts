import { systemClock } from "../../../src/kernel/clock.ts";
import { moscowTime } from "../../../src/tools/demo/ledger.ts";
import { type BasketLine, basketKopecks } from "../../../src/tools/sandbox/caller/basket.ts";
import { cashBody, returnBody, saleBody, shiftBody, type TillContext } from "../../../src/tools/sandbox/caller/bodies.ts";
import { fiscalCall } from "../../../src/tools/sandbox/caller/fiscal-call.ts";
import type { FiscalOperation } from "../../../src/tools/sandbox/caller/fiscal-operation.ts";
import type { Installation, Solution } from "../../../src/tools/sandbox/caller/installation.ts";
import { PLATFORM_NAMES } from "../../../src/tools/sandbox/caller/names.ts";
import { CASHIER, GOODS } from "../../../src/tools/sandbox/caller/shop.ts";
import { makeSigningKey } from "../../../src/tools/sandbox/caller/signing-key.ts";
import type { SeededRandom } from "../../../src/tools/seeded-random.ts";
import type { Version } from "./document.ts";

/** The development credentials (interface 2). */
export const SOLUTION: Solution = {
  appId: "00000000-0000-4000-8000-000000000001",
  appUid: "fiscal-solution.dev",
  secretKey: "development-secret-not-for-production",
  names: PLATFORM_NAMES.canonical,
};

const SHELF = [GOODS.bread, GOODS.pasta, GOODS.tea, GOODS.soap, GOODS.batteries, GOODS.bag, GOODS.delivery];
const MOST_LINES = 3;
const MOST_PIECES = 4;
/** The largest sum that is put into the drawer or taken out at once. */
const MOST_CASH_KOPECKS = 500_00;

/** A document as a till may send it. Each version of the document makes another request. */
export interface Draft {
  id: string;
  operation: FiscalOperation;
  body(till: TillContext, version: number): { body: object; sumKopecks: number };
}

export interface Sold {
  id: string;
  lines: BasketLine[];
}

/** One point of sale. Its tills share a shift and a register. Everything except the signing key comes from the seed. */
export class Shop {
  readonly installation: Installation;
  readonly #random: SeededRandom;
  #till: TillContext;
  #shifts = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.installation = {
      accountId: idOf(random),
      accountName: "produkty-na-uglu",
      registrationId: idOf(random),
      key: makeSigningKey(),
    };
    const api = "https://api.platform.example/api/remap/1.2";
    this.#till = { api, storeId: idOf(random), shiftId: "", shiftName: "", cashierId: idOf(random), cashier: CASHIER };
  }

  /** The shift in which documents are made now: the platform's newest. */
  get till(): TillContext {
    return this.#till;
  }

  takeNewShift(): void {
    this.#shifts += 1;
    this.#till = { ...this.#till, shiftId: idOf(this.#random), shiftName: String(this.#shifts).padStart(5, "0") };
  }

  versionOf(draft: Draft, version: number): Version {
    const { body, sumKopecks } = draft.body(this.#till, version);
    return { call: fiscalCall(draft.operation, body, SOLUTION, this.installation), sumKopecks, shiftId: this.#till.shiftId };
  }
}

export function idOf(random: SeededRandom): string {
  const digits = random.text("0123456789abcdef", 32);
  return [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`, digits.slice(20)].join("-");
}

/** Versions of a shift differ in their moment, because a shift has no sum. The draft keeps its shift when another one is opened. */
export function shiftDraft(kind: "open" | "close", till: TillContext): Draft {
  const nowMs = systemClock.nowMs();
  return {
    id: till.shiftId,
    operation: kind === "open" ? "openshift" : "closeshift",
    body: (_, version) => ({ body: shiftBody(till, kind, moscowTime(nowMs + version * 1_000)), sumKopecks: 0 }),
  };
}

export function saleDraft(random: SeededRandom): { sold: Sold; draft: Draft } {
  const lines = Array.from({ length: 1 + random.below(MOST_LINES) }, () => ({
    goods: SHELF[random.below(SHELF.length)] ?? GOODS.bread,
    quantityThousandths: 1_000 * (1 + random.below(MOST_PIECES)),
  }));
  const head = headOf(random);
  const inCash = random.fraction() < 0.5;
  const body: Draft["body"] = (till, version) => {
    const sent = withVersion(lines, version);
    return { body: saleBody(till, { ...head, lines: sent, payments: paid(sent, inCash) }), sumKopecks: basketKopecks(sent) };
  };
  return { sold: { id: head.id, lines }, draft: { id: head.id, operation: "retaildemand", body } };
}

/** Returns one piece of the first line, with the money to the card, because the drawer may be empty. */
export function returnDraft(random: SeededRandom, { id, lines }: Sold): Draft {
  const back = lines.slice(0, 1).map(({ goods }) => ({ goods, quantityThousandths: 1_000 }));
  const head = headOf(random);
  const body: Draft["body"] = (till, version) => {
    const sent = withVersion(back, version);
    return { body: returnBody(till, { ...head, demandId: id, lines: sent, payments: paid(sent, false) }), sumKopecks: basketKopecks(sent) };
  };
  return { id: head.id, operation: "retaisalesreturn", body };
}

export function cashDraft(random: SeededRandom, kind: "in" | "out"): Draft {
  const head = headOf(random);
  const wholeKopecks = 100 * (1 + random.below(MOST_CASH_KOPECKS / 100));
  const body: Draft["body"] = (till, version) => {
    const sumKopecks = wholeKopecks + version;
    return { body: cashBody(till, kind, { ...head, sumKopecks }), sumKopecks };
  };
  return { id: head.id, operation: kind === "in" ? "retaildrawercashin" : "retaildrawercashout", body };
}

function headOf(random: SeededRandom): { id: string; name: string; moment: string } {
  return { id: idOf(random), name: random.text("0123456789", 5), moment: moscowTime(systemClock.nowMs()) };
}

/** Another body of the same document, with one bag more for each version. */
function withVersion(lines: readonly BasketLine[], version: number): BasketLine[] {
  return version === 0 ? [...lines] : [...lines, { goods: GOODS.bag, quantityThousandths: 1_000 * version }];
}

function paid(lines: readonly BasketLine[], inCash: boolean): { cashKopecks: number; cardKopecks: number } {
  const sum = basketKopecks(lines);
  return { cashKopecks: inCash ? sum : 0, cardKopecks: inCash ? 0 : sum };
}
