import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Listener } from "./device/listener.ts";
import { IndependentRegister } from "./device/register.ts";
import { command, openReceipt } from "./driver/requests.ts";
import { registerCarefully } from "./driver/settle.ts";
import { Till } from "./driver/till.ts";
import { basket, bread } from "./project/basket.ts";
import { toHex } from "./protocol/bytes.ts";
import { numberAt } from "./protocol/tlv.ts";

/** Both ends are in this process, so these times are over only when nothing comes. */
const waits = { acknowledgementMs: 1_500, byteMs: 1_500 };

/** Neither end is the project's here, so a failure of this file shows no mistake of the project. */
describe("the independent device under the independent driver", () => {
  let register: IndependentRegister;
  let device: Listener;
  let till: Till;

  beforeEach(async () => {
    register = new IndependentRegister();
    device = await Listener.start(register);
    till = await Till.connect(device.address, waits);
  });

  afterEach(async () => {
    till.close();
    await device.close();
  });

  it("carries a whole shift and remembers each of its documents", async () => {
    expect(toHex(await till.exchange(command("10", 30)))).toBe("10 00 1E 90 02 04 00 00 9F D8 00 00 00 00 04 00");
    await till.openShift("Иванов И.И.");
    await till.cashIn(100_000);
    const sold = await till.register(basket.receipt);
    await till.register({ kind: "income-return", positions: [bread], closing: { cashKopecks: 10_000, taxSystem: 1 } });
    await till.cashOut(10_000);
    await till.xReport();
    expect(await till.findDocument(sold.number)).toMatchObject({ operation: 1, totalKopecks: basket.totalKopecks, sign: sold.sign });
    expect(numberAt((await till.documentTags(sold.number)).tags, 1020)).toBe(basket.totalKopecks);
    expect(await till.moneyRegister(241)).toBe(100_000 + 15_685 - 10_000 - 10_000);
    await till.closeShift("Иванов И.И.");
    expect(register.drive.documents.map((one) => one.type)).toEqual([1, 2, 3, 3, 5]);
  });

  it("refuses a receipt without a shift, a second shift and cash that is not there", async () => {
    await expect(till.ask(openReceipt("income"))).rejects.toMatchObject({ code: 0x3d });
    await till.openShift("Иванов И.И.");
    await expect(till.ask(command("E0", 30))).rejects.toMatchObject({ code: 0x73 });
    await expect(till.cashOut(1)).rejects.toMatchObject({ code: 0x46 });
  });

  it.each([
    ["after-kept", "answered"],
    ["after-forgotten", "asked"],
    ["silent", "asked"],
    ["before", "still-open"],
  ] as const)("keeps one sale at most when the line is cut %s of FF45, and the driver says %s", async (how, outcome) => {
    await till.openShift("Иванов И.И.");
    device.cut({ command: "FF45", how });
    expect((await registerCarefully(till, basket.receipt, basket.totalKopecks, 1_500)).outcome).toBe(outcome);
    expect(register.drive.documents.filter((one) => one.type === 3)).toHaveLength(outcome === "still-open" ? 0 : 1);
  });
});
