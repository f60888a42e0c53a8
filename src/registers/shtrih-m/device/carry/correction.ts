import { present } from "../../../../kernel/present.ts";
import type { CorrectionDocument, VatTotal } from "../../../../model/document.ts";
import { VAT_CODES } from "../../../../model/tax.ts";
import type { RawTlv } from "../../../tags/tlv.ts";
import type { AnswerOf, RequestOf } from "../../commands/commands.ts";
import { ERROR } from "../machine/errors.ts";
import { type Machine, MODE, make, modeOf, print } from "../machine/machine.ts";
import { headOf } from "../machine/open-receipt.ts";
import { basisIn, isBasis } from "../machine/sent-basis.ts";
import { encodeTag } from "../machine/sent-tags.ts";
import { receiptSlip } from "../machine/slip.ts";
import { closingCodes } from "../machine/vat-codes.ts";
import { timeOf } from "./extended-answer.ts";
import type { Handlers } from "./handler.ts";
import { ratesOf, taxSystemOf } from "./receipt.ts";
import { nameOfOperator } from "./shift.ts";

/** Corrections of format 1.05: FF35, its tags, FF4A (shtrih-protocol 5.7, 11). In later formats 8Dh opens a correction like a receipt. */
export const CORRECTION_HANDLERS: Handlers = {
  beginCorrection(machine) {
    const mode = modeOf(machine);
    // A real device answered FF35 with the error 5Eh when the shift was closed (shtrih-protocol 5.7).
    if (mode === MODE.closedShift) return ERROR.wrongDocument;
    if (mode === MODE.expiredShift) return ERROR.shiftTooLong;
    if (machine.receipt !== undefined || machine.begun !== undefined) return ERROR.driveState;
    if (machine.device.look().memory.identity.ffd !== "1.05") return ERROR.badForSettings;
    machine.begun = { kind: "correction", tags: [] };
    return {};
  },

  correction: correct,
};

async function correct(machine: Machine, values: RequestOf<"correction">, operator: number): Promise<number | AnswerOf<"correction">> {
  const { begun } = machine;
  if (begun?.kind !== "correction") return ERROR.wrongDocument;
  const document = documentOf(machine, begun.tags, values, operator);
  if (typeof document === "number") return document;
  const { rest } = headOf(begun.tags);
  const made = await make(machine, document, { document: rest.filter(({ tag }) => !isBasis(tag)).map(encodeTag), lines: [] });
  if (made.kind === "error") return made.error;
  machine.begun = undefined;
  const { facts } = made;
  if (facts.kind !== "fiscal") return ERROR.wrongDocument;
  await print(machine, receiptSlip(document, facts, []));
  return {
    receipt: (facts.receipt?.number ?? 0) % 0x1_0000,
    documentNumber: facts.documentNumber,
    fiscalSign: Number(facts.fiscalSign),
    ...timeOf(machine, facts.time),
  };
}

function documentOf(
  machine: Machine,
  tags: readonly RawTlv[],
  values: RequestOf<"correction">,
  operator: number,
): CorrectionDocument | number {
  const { type, sign, total, payments } = values;
  // Corrections of returns are refused (shtrih-protocol 5.7).
  if (sign !== 1 && sign !== 3) return ERROR.wrongDocument;
  if (type > BY_ORDER) return ERROR.badParameters;
  const taxSystem = taxSystemOf(machine, values.taxSystem);
  if (taxSystem === undefined) return ERROR.badParameters;
  const basis = basisIn(tags, type);
  if (basis === undefined) return ERROR.tagMissing;
  const [cashKopecks = 0, nonCashKopecks = 0, prepaidKopecks = 0, creditKopecks = 0, otherKopecks = 0] = payments;
  const head = headOf(tags).values;
  const cashierName = head.cashierName ?? nameOfOperator(machine, operator);
  return {
    kind: "correction",
    ...head,
    ...present({ cashierName }),
    sign,
    taxSystem,
    basis,
    lines: [],
    totalKopecks: total,
    roundingKopecks: 0,
    tenders: { cashKopecks, nonCashKopecks, prepaidKopecks, creditKopecks, otherKopecks },
    vatTotals: vatTotalsOf(machine, values),
  };
}

const BY_ORDER = 1;

function vatTotalsOf(machine: Machine, { vat }: RequestOf<"correction">): VatTotal[] {
  const codes = closingCodes(ratesOf(machine));
  const totals = vat.flatMap((sumKopecks, at) => {
    const code = codes[at];
    return code === undefined || sumKopecks === 0 ? [] : [{ vat: code, sumKopecks }];
  });
  return totals.sort((a, b) => VAT_CODES.indexOf(a.vat) - VAT_CODES.indexOf(b.vat));
}
