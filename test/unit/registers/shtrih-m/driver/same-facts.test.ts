import { describe, expect, it } from "vitest";
import type { RegisterDocument } from "../../../../../src/model/document.ts";
import type { DocumentFacts } from "../../../../../src/model/facts.ts";
import { EmulatorRegister } from "../../../../../src/registers/emulator/register.ts";
import { VirtualDevice } from "../../../../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../../../../src/registers/virtual/drive.ts";
import { wholeDay } from "../../../../support/register-documents.ts";
import { sameChance, Trial, ZONE } from "../../../../support/registers.ts";
import { type ShtrihBenchOptions, shtrihBench } from "../../../../support/shtrih-m-bench.ts";

async function factsOf(t: Trial, documents: readonly RegisterDocument[]): Promise<DocumentFacts[]> {
  const made: DocumentFacts[] = [];
  for (const document of documents) {
    const outcome = await t.perform(document);
    if (outcome.kind !== "done") throw new Error(`${document.kind}: ${JSON.stringify(outcome)}`);
    made.push(outcome.facts);
    await t.later(60_000);
  }
  return made;
}

/**
 * The facts without values that may differ: signs depend on the bytes of each front, times differ because a device that
 * prints delays the next document, and only format 1.2 checks marks.
 */
function comparable(facts: DocumentFacts[]): unknown[] {
  return facts.map((one) => {
    const minute = `${one.time.slice(0, -2)}00`;
    if (one.kind !== "fiscal") return { ...one, time: minute };
    const { markChecks, ...rest } = one;
    return { ...rest, time: minute, fiscalSign: "", ...(one.identity.ffd === "1.2" ? { markChecks } : {}) };
  });
}

describe("the virtual device", () => {
  it.each<[string, ShtrihBenchOptions]>([
    ["desktop", {}],
    ["cashcore", { personality: "cashcore" }],
    ["nano", { personality: "nano" }],
    ["of format 1.05", { ffd: "1.05" }],
    ["that prints for two seconds", { printMs: 2_000 }],
    ["that is told to print nothing", { print: "none" }],
  ])("gives the same facts behind its bytes, %s, as behind the emulator", async (_, options) => {
    const near = await Trial.on(async (clock) => {
      const ffd = options.ffd === undefined ? {} : { ffd: options.ffd };
      const { device } = await VirtualDevice.open({
        name: "bench",
        storage: new MemoryDrive(),
        clock,
        chance: sameChance,
        zone: ZONE,
        ...ffd,
      });
      const register = new EmulatorRegister(clock, () => Promise.resolve({ device, close: () => device.close() }));
      return { register, device, seconds: true, restart: () => Promise.reject(new Error("never")) };
    });
    const far = await Trial.on((clock) => shtrihBench(clock, options));
    const expected = comparable(await factsOf(near, wholeDay()));
    const found = comparable(await factsOf(far, wholeDay()));
    for (const [at, facts] of expected.entries()) expect(found[at]).toEqual(facts);
    expect((await far.state()).drawerKopecks).toBe((await near.state()).drawerKopecks);
  });
});
