import { expect, it } from "vitest";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { AgentDesk } from "../../src/agents/desk.ts";
import { compareDevice } from "../../src/agents/pins.ts";
import { errorOf } from "../../src/contracts/fiscal/failures.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { type AgentBench, behindAgent } from "../support/agents-shop.ts";
import { emulatorBench, Trial } from "../support/registers.ts";
import { Till } from "../support/till.ts";

const PLACE = { name: "shop", register: "main" };

it("a sale at another device than the pinned one is refused as by the register, until the device is accepted", async () => {
  let shop: AgentBench["shop"] | undefined;
  const trial = await Trial.on<AgentBench>(async (clock) => {
    const bench = await behindAgent(clock, await emulatorBench(clock, new MemoryDrive(), {}), "emulator:bench");
    shop = bench.shop;
    await compareDevice(shop.store, PLACE, { serialNumber: "0001", driveNumber: "9999078900000001" });
    return bench;
  });
  if (shop === undefined) throw new Error("no shop was opened");
  const till = await Till.open({ trial });
  const refused = await till.openShift();
  expect(refused).toMatchObject({ kind: "refused", refusal: { code: "device-refused", device: { code: "other-device" } } });
  if (refused.kind !== "refused") return;
  expect(errorOf(refused.refusal)).toMatchObject({ status: 424, code: 50020 });
  expect(trial.device.look().memory.lastDocumentNumber).toBe(1);
  await new AgentDesk({ store: shop.store, clock: trial.clock, live: shop.hub }).accept(PLACE, OPERATOR);
  expect(await till.openShift()).toMatchObject({ kind: "done" });
});
