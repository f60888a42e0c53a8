import { describe, expect, it } from "vitest";
import type { Known, KnownGoods } from "../../src/model/known.ts";
import { ITEM_KINDS } from "../../src/model/subjects.ts";
import { TAX_SYSTEMS, type TaxSystem } from "../../src/model/tax.ts";
import { type RawTlv, readTlvs, readValue } from "../../src/registers/tags/tlv.ts";
import { sample } from "../support/extent.ts";
import { SCHEMES, Trial } from "../support/registers.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

const FORMATS = ["1.2", "1.05"] as const;
/** Each kind of goods not subject to marking, then subject to marking but sold without a mark. */
const GOODS: KnownGoods[] = [...ITEM_KINDS.map((kind) => ({ kind })), ...ITEM_KINDS.map((kind) => ({ kind, marked: true as const }))];
/** The values of fiscal-receipts 4.5 and 8. */
const SUBJECTS = {
  "1.2": [1, 2, 3, 4, 9, 13, 13, 32, 30, 3, 4, 9, 13, 32],
  "1.05": [1, 2, 3, 4, 9, 12, 13, 1, 2, 3, 4, 9, 12, 1],
};

async function tillWith(trial: Trial, known: Known): Promise<Till> {
  const till = await Till.open({ trial, lookUp: async () => ({ known, scale: "pinned" }) });
  await till.openShift();
  return till;
}

function saleOf(goods: readonly unknown[], over: { vatEnabled?: boolean } = {}) {
  const sale = saleOperation("s-1");
  const [position] = sale.positions;
  if (position === undefined) throw new Error("a sale without positions");
  const positions = goods.map(() => ({ ...position, quantityMillionths: 1_000_000, vatEnabled: true, ...over }));
  return { ...sale, positions, payments: { ...sale.payments, cashKopecks: position.priceKopecks * goods.length } };
}

/** Tag 1212 of the positions in the drive's newest document. */
async function subjectsIn(trial: Trial): Promise<unknown[]> {
  const stored = await trial.device.stored((await trial.state()).lastDocumentNumber);
  if (stored.kind !== "answer" || stored.value === undefined) throw new Error("not stored");
  const positions = inside(readTlvs(stored.value.tlv)?.[0]).filter(({ tag }) => tag === 1059);
  return positions
    .map((position) => inside(position).find(({ tag }) => tag === 1212))
    .map((raw) => (raw === undefined ? raw : readValue(raw)));
}

function inside(list: RawTlv | undefined): RawTlv[] {
  return readTlvs(list?.value ?? Buffer.alloc(0)) ?? [];
}

describe.each(sample(SCHEMES, 2))("a sale of goods that the platform knows, at a register of %s", (scheme) => {
  it.each(FORMATS)("has their subjects in the drive as format %s has them", async (ffd) => {
    const trial = await Trial.begin(scheme, { ffd });
    const till = await tillWith(trial, { goods: GOODS });
    expect(textOf(await till.submitAndWait(saleOf(GOODS)))).toMatch(/^receipt /);
    expect(await subjectsIn(trial)).toEqual(SUBJECTS[ffd]);
  });

  it("is taxed by each system that the platform may name", async () => {
    for (const taxSystem of Object.keys(TAX_SYSTEMS) as TaxSystem[]) {
      const till = await tillWith(await Trial.begin(scheme), { goods: [null], taxSystem });
      expect([taxSystem, textOf(await till.submitAndWait(saleOf([null], { vatEnabled: false })))]).toEqual([
        taxSystem,
        expect.stringMatching(/^receipt /),
      ]);
    }
  });
});
