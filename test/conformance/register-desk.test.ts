import { describe, expect, it, onTestFinished } from "vitest";
import { wallAsUtcMs } from "../../src/kernel/moment.ts";
import type { StoreRules } from "../../src/operations/services.ts";
import { Rack } from "../../src/registers/rack.ts";
import { lightOf } from "../../src/web/register-light.ts";
import { HOUR_MS, SCHEMES, sameChance, Trial, temporaryFolder } from "../support/registers.ts";
import { Till } from "../support/till.ts";

const MINE = { appId: "app", accountId: "account", storeId: "store" };
const FOREIGN = { ...MINE, accountId: "another" };
const WORDS = "агент shop-7 не заведён";

/** A till whose register only the account `account` may use, as an agent's register. It has opened a shift. */
async function till(): Promise<{ shop: Till; address: string }> {
  const shop = await Till.open({ unusable: async ({ accountId }) => (accountId === MINE.accountId ? undefined : WORDS) });
  await shop.openShift();
  const standing = await shop.desk.standing(MINE);
  return { shop, address: standing.kind === "register" ? standing.address : "" };
}

/** The desk of a server with a rack. `asked`: how the register's clock is compared after the question. */
async function deskWithRack() {
  const trial = await Trial.begin(SCHEMES[0] ?? "");
  const { clock } = trial;
  const rack = new Rack({ clock, chance: sameChance, dataDir: await temporaryFolder(), note() {} });
  onTestFinished(() => rack.close());
  const rules: Partial<StoreRules> = { register: "emulator:one" };
  const { desk } = await Till.open({ trial, rack, rules });
  return {
    rules,
    async asked(address = "emulator:one") {
      expect((await desk.tryAddress(MINE, address)).kind).toBe("answers");
      const { ours, zoneKnown, atMs = 0 } = rack.seen()[0]?.clock ?? {};
      return [(wallAsUtcMs(ours ?? "") - atMs) / HOUR_MS, zoneKnown];
    },
  };
}

describe("the zone of a register that is asked at the settings page", () => {
  it("is the one that is set for its point of sale, at once after it was set or taken back", async () => {
    const { rules, asked } = await deskWithRack();
    Object.assign(rules, { timeZone: "Asia/Omsk", timeZoneIsSet: true });
    expect(await asked()).toEqual([6, true]);
    rules.timeZone = "Asia/Vladivostok";
    expect(await asked("emulator:one?drive=any")).toEqual([10, true]);
    Object.assign(rules, { timeZone: "Europe/Moscow", timeZoneIsSet: false });
    expect(await asked()).toEqual([3, false]);
  });
});

describe("people who watch registers and try addresses", () => {
  it("are told nothing of a register that their account may not use, and see in red that it cannot be used", async () => {
    const { shop, address } = await till();
    const standing = await shop.desk.standing(FOREIGN);
    expect(standing).toEqual({ kind: "unusable", address: expect.any(String), reason: WORDS });
    const light = lightOf((ru) => ru, { standing, concerns: [], nowMs: shop.trial.clock.nowMs(), zone: "Europe/Moscow" });
    expect([light.light, light.todo]).toEqual(["red", expect.stringContaining(WORDS)]);
    const asked = await shop.trial.settled(shop.desk.tryAddress(FOREIGN, address));
    expect(asked).toEqual({ kind: "unreachable", reason: WORDS });
  });

  it("of the account that may use it see its state and its identity", async () => {
    const { shop, address } = await till();
    expect((await shop.desk.standing(MINE)).kind).toBe("register");
    expect((await shop.trial.settled(shop.desk.tryAddress(MINE, address))).kind).toBe("answers");
  });
});
