import { describe, expect, it } from "vitest";
import { lightOf } from "../../src/web/register-light.ts";
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
