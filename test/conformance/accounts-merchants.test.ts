import { expect, it, onTestFinished } from "vitest";
import { Merchants } from "../../src/accounts/merchants.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { createSeal } from "../../src/security/seal.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";

const KEY = { appId: "app", accountId: "account" };

for (const kind of DATABASE_KINDS.filter(({ shared }) => shared))
  describeDatabase("merchant accounts of several processes", kind, () => {
    it("have the setting that was used last, whichever process used it, also when it is one of before", async () => {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const merchants = async () => {
        const store = await database.open();
        await store.migrate();
        return new Merchants({ store, seal: createSeal(new Secret("a-key-of-this-test")), clock: systemClock, chance: systemChance });
      };
      const [one, two] = [await merchants(), await merchants()];
      const account = (setting: string) => ({ merchant: "shop", acquirer: "bank", setting });
      await one.keep(KEY, account("first"));
      await two.keep(KEY, account("second"));
      await one.keep(KEY, account("first"));
      expect(await two.settingOf(KEY, "shop")).toBe("first");
      await two.keep(KEY, account("second"));
      expect(await one.settingOf(KEY, "shop")).toBe("second");
    });

    it("replace a setting that the present key cannot open", async () => {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const store = await database.open();
      await store.migrate();
      const services = { store, clock: systemClock, chance: systemChance };
      const before = new Merchants({ ...services, seal: createSeal(new Secret("an-earlier-key-of-this-test")) });
      await before.keep(KEY, { merchant: "shop", acquirer: "bank", setting: "first" });
      const now = new Merchants({ ...services, seal: createSeal(new Secret("a-key-of-this-test")) });
      await now.keep(KEY, { merchant: "shop", acquirer: "bank", setting: "first" });
      expect(await now.settingOf(KEY, "shop")).toBe("first");
    });
  });
