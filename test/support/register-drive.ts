import type { CashFacts, DocumentFacts, FiscalFacts } from "../../src/model/facts.ts";
import { readTlvs } from "../../src/registers/tags/tlv.ts";
import type { VirtualDevice } from "../../src/registers/virtual/device.ts";

/** A document as the device keeps it, read past every protocol: what an answer and a look-up are held against. */
export interface Kept {
  facts: FiscalFacts;
  /** Our id as far as the device was told it. */
  reference: string;
  /** Everything in the document, but what is another at each making: `tag: bytes`. */
  requisites: string[];
}

/** Time, shift, number, receipt's number, sign: tags of which two makings of one document have their own. */
const OF_ITS_MAKING = [1012, 1038, 1040, 1042, 1077];

/** Every document of the drive behind the number, the oldest first. */
export async function keptAfter(device: VirtualDevice, documentNumber: number): Promise<Kept[]> {
  const kept: Kept[] = [];
  for (let number = documentNumber + 1; number <= lastNumber(device); number += 1) {
    const answer = await device.stored(number);
    const stored = answer.kind === "answer" ? answer.value : undefined;
    if (stored?.kind !== "fiscal") throw new Error(`document ${number} of the drive is ${stored?.kind ?? answer.kind}`);
    kept.push({ facts: stored.facts, reference: stored.reference, requisites: requisitesOf(stored.tlv) });
  }
  return kept;
}

export function lastNumber(device: VirtualDevice): number {
  return device.look().memory.lastDocumentNumber;
}

/** The facts as a register that tells times to the minute gives them when it has been answered. */
export function asAnswered<F extends DocumentFacts>(facts: F): F {
  return { ...facts, time: `${facts.time.slice(0, -2)}00` };
}

/** The same read back out of the drive: what was handed over in cash is printed, and stands in no requisite. */
export function asFound({ change: _, ...facts }: FiscalFacts): FiscalFacts {
  return asAnswered(facts);
}

/** Cash of the device's drawer and shift, as its own counters have it. */
export function drawerOf(device: VirtualDevice): Pick<CashFacts, "drawerKopecks" | "shiftNumber"> & { slips: number } {
  const { drawerKopecks, shift, slips } = device.look().memory;
  return { drawerKopecks, shiftNumber: shift.number, slips: slips.cashIns + slips.cashOuts };
}

function requisitesOf(tlv: Buffer): string[] {
  const [document] = readTlvs(tlv) ?? [];
  const inside = readTlvs(document?.value ?? Buffer.alloc(0)) ?? [];
  if (inside.length === 0) throw new Error(`the drive holds no requisites: ${tlv.toString("hex")}`);
  return inside.filter(({ tag }) => !OF_ITS_MAKING.includes(tag)).map(({ tag, value }) => `${tag}: ${value.toString("hex")}`);
}
