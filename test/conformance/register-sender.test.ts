import { describe, expect, it } from "vitest";
import { linesOf } from "../../src/receipts/lines.ts";
import { receiptOf } from "../../src/receipts/receipt.ts";
import { type RawTlv, readTlvs, readValue } from "../../src/registers/tags/tlv.ts";
import { sampleSale } from "../support/register-documents.ts";
import { REGISTERS, SCHEMES, Trial } from "../support/registers.ts";
import { shtrihBench } from "../support/shtrih-m-bench.ts";

/** The sender's address in the registration of the sample register (fiscal-receipts 9.1). */
const REGISTERED = "check@ofd.example";
const SET = "shop@shop.example";
const BUYER = "+70000000000";

/** Tag 1117 in the drive, and the sender's line in the PDF. */
async function senderOn(trial: Trial, document: ReturnType<typeof sampleSale>): Promise<{ tag: unknown; paper: string | undefined }> {
  const facts = await trial.fiscal(document);
  const stored = await trial.device.stored(facts.documentNumber);
  if (stored.kind !== "answer" || stored.value === undefined) throw new Error("not stored");
  const content = readTlvs(contentOf(readTlvs(stored.value.tlv))) ?? [];
  const sender = content.find(({ tag }) => tag === 1117);
  const lines = linesOf(receiptOf(document, facts), 48, (text) => text).flatMap((group) => group.lines.map(({ text }) => text));
  const line = lines.find((text) => text.startsWith("Отправитель"));
  return { tag: sender === undefined ? undefined : readValue(sender), paper: line?.split(/ +/)[1] };
}

function contentOf(list: RawTlv[] | undefined): Buffer {
  return list?.[0]?.value ?? Buffer.alloc(0);
}

describe.each(REGISTERS)("the sender of a receipt, at a register of %s", (scheme) => {
  it("is the one that the register was registered with, once there is a buyer to be reached, or what the point of sale is set to", async () => {
    const trial = await Trial.begin(scheme);
    await trial.openShift();
    expect(await senderOn(trial, sampleSale())).toEqual({ tag: undefined, paper: undefined });
    expect(await senderOn(trial, sampleSale({ buyerContact: BUYER }))).toEqual({ tag: REGISTERED, paper: REGISTERED });
    expect(await senderOn(trial, sampleSale({ buyerContact: BUYER, senderEmail: SET }))).toEqual({ tag: SET, paper: SET });
  });
});

describe.each(SCHEMES)("a register of %s without a sender of its own", (scheme) => {
  it.each(["1.2", "1.05"] as const)(
    "registers a receipt with a buyer's contact, whose line is left out unless it is set, by format %s",
    async (ffd) => {
      const trial = await Trial.begin(scheme, { ffd, seller: { senderEmail: "" } });
      await trial.openShift();
      expect(await senderOn(trial, sampleSale({ buyerContact: BUYER }))).toEqual({ tag: undefined, paper: undefined });
      expect(await senderOn(trial, sampleSale({ buyerContact: BUYER, senderEmail: SET }))).toEqual({ tag: SET, paper: SET });
    },
  );
});

describe("the slip of the byte-level device", () => {
  it("shows the buyer's contact and the sender that stand in the drive", async () => {
    const paper: string[] = [];
    const trial = await Trial.on((clock) => shtrihBench(clock, { paper }));
    await trial.openShift();
    await trial.fiscal(sampleSale({ buyerContact: BUYER }));
    const named = (name: string) => paper.filter((line) => line.startsWith(name)).map((line) => line.split(/ +/).at(-1));
    expect([named("Эл. адр. покупателя"), named("Отправитель")]).toEqual([[BUYER], [REGISTERED]]);
  });
});
