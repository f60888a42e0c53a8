import { describe, expect, it } from "vitest";
import { readTlvs, readValue } from "../../../../src/registers/tags/tlv.ts";
import { type DeviceOptions, VirtualDevice } from "../../../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../../../src/registers/virtual/drive.ts";
import { receiptDocument, reportDocument, shiftDocument } from "../../../support/register-documents.ts";
import { DAY_MS, MORNING_MS, sameChance, ZONE } from "../../../support/registers.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

async function open(more: Partial<DeviceOptions> = {}): Promise<VirtualDevice> {
  const clock = new VirtualClock(MORNING_MS);
  const { device } = await VirtualDevice.open({
    name: "kassa",
    storage: new MemoryDrive(),
    clock,
    chance: sameChance,
    zone: ZONE,
    ...more,
  });
  return device;
}

/** The document's code and the values of some of its requisites. */
async function told(device: VirtualDevice, documentNumber: number, ...tags: number[]): Promise<unknown[]> {
  const answer = await device.stored(documentNumber);
  if (answer.kind !== "answer" || answer.value === undefined) throw new Error(JSON.stringify(answer));
  const [outer] = readTlvs(answer.value.tlv) ?? [];
  const found = (readTlvs(outer?.value ?? Buffer.alloc(0)) ?? []).filter(({ tag }) => tags.includes(tag));
  return [outer?.tag, Object.fromEntries(found.map((raw) => [raw.tag, readValue(raw)]))];
}

describe("a report of the settlements' state", () => {
  it("takes the next number before, in and after a shift, counts in the shift's documents and adds to no sum", async () => {
    const device = await open();
    expect(await device.make(reportDocument("state-report", { cashierName: "" }))).toMatchObject({
      kind: "answer",
      value: { documentNumber: 2, shiftNumber: 0, stateReport: { unsent: 0 } },
    });
    await device.make(shiftDocument("open-shift"));
    await device.make(receiptDocument());
    const before = device.look().memory.shift.totals;
    expect(await device.make(reportDocument("state-report", { cashierName: "Петрова" }))).toMatchObject({
      value: { documentNumber: 5, shiftNumber: 1, cashierName: "Петрова", time: "2026-11-13 09:00:00" },
    });
    expect(device.look().memory.shift.totals).toEqual(before);
    // Opening, receipt, state report and the closing itself (fiscal-receipts 1.6).
    expect(await device.make(shiftDocument("close-shift"))).toMatchObject({ value: { documentNumber: 6, shiftReport: { documents: 4 } } });
    expect(await told(device, 5, 1040, 1038, 1097, 1021)).toEqual([21, { 1040: 5, 1038: 1, 1097: 0, 1021: "Петрова" }]);
  });

  it("tells how many documents wait for the operator, which is the first and since when", async () => {
    const device = await open({ faults: { operatorDelayMs: () => Number.POSITIVE_INFINITY } });
    await device.make(shiftDocument("open-shift"));
    await device.make(receiptDocument());
    expect(await device.make(reportDocument("state-report", { cashierName: "" }))).toMatchObject({
      value: { stateReport: { unsent: 2, unsentSince: "2026-11-13 09:00:00", firstUnsent: 2 } },
    });
    expect(await told(device, 4, 1097, 1098, 1116)).toEqual([21, { 1097: 2, 1098: "2026-11-13 09:00:00", 1116: 2 }]);
    expect(await device.make(reportDocument("state-report", { cashierName: "" }))).toMatchObject({
      value: { stateReport: { unsent: 3, firstUnsent: 2 } },
    });
  });

  it("is made in a shift that is too long and with a queue that stops receipts, not in a drive that is full", async () => {
    const clock = new VirtualClock(MORNING_MS);
    const device = await open({ clock, faults: { operatorDelayMs: () => Number.POSITIVE_INFINITY } });
    await device.make(shiftDocument("open-shift"));
    await clock.advance(31 * DAY_MS);
    expect(await device.make(reportDocument("state-report", { cashierName: "" }))).toMatchObject({
      kind: "answer",
      value: { stateReport: { unsent: 1 } },
    });
    device.setFaults({ memoryUsed: () => 1 });
    expect(await device.make(reportDocument("state-report", { cashierName: "" }))).toMatchObject({ refusal: { by: "drive", code: 0x06 } });
    device.setPaper(false);
    expect(await device.make(reportDocument("state-report", { cashierName: "" }))).toMatchObject({
      refusal: { by: "register", code: "no-paper" },
    });
    device.setPaper(true);
    expect(await device.make(reportDocument("state-report", { cashierName: "ж".repeat(65) }))).toMatchObject({
      refusal: { by: "drive", code: 0x10 },
    });
  });

  it("is there, with its place in the numbers, for a device opened on the drive again", async () => {
    const storage = new MemoryDrive();
    const first = await open({ storage });
    await first.make(reportDocument("state-report", { cashierName: "" }));
    const again = await open({ storage });
    expect(await again.stored(2)).toEqual(await first.stored(2));
    expect(await again.make(shiftDocument("open-shift"))).toMatchObject({ value: { documentNumber: 3 } });
  });
});
