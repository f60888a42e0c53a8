import { expect, it, onTestFinished } from "vitest";
import { Merchants } from "../../src/accounts/merchants.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { createSeal } from "../../src/security/seal.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

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

    it("have one secret address for notifications when two processes replace an unreadable one at the same time", async () => {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const store = await database.open();
      await store.migrate();
      const services = { clock: systemClock, chance: systemChance };
      await new Merchants({ ...services, store, seal: createSeal(new Secret("an-earlier-key-of-this-test")) }).hookSecret(KEY, "bank");
      const seal = createSeal(new Secret("a-key-of-this-test"));
      const [one, two] = [new Merchants({ ...services, store, seal }), new Merchants({ ...services, store: await database.open(), seal })];
      const secrets = await Promise.all([one.hookSecret(KEY, "bank"), two.hookSecret(KEY, "bank")]);
      for (const secret of secrets) expect(await one.byHookSecret(secret.reveal())).toEqual({ ...KEY, acquirer: "bank" });
    });

    it("are all tried as long as they are used, however many there are of before", async () => {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const store = await database.open();
      await store.migrate();
      const clock = new VirtualClock(Date.UTC(2026, 10, 28));
      const merchants = new Merchants({ store, seal: createSeal(new Secret("a-key-of-this-test")), clock, chance: systemChance });
      const use = (name: string) => merchants.keep(KEY, { merchant: name, acquirer: "bank", setting: `setting of ${name}` });
      await use("in use");
      for (let nth = 1; nth <= 210; nth += 1) {
        await clock.advance(10_000);
        await use(`former ${nth}`);
      }
      await clock.advance(3_600_000);
      await use("in use");
      expect((await merchants.settingsAt(KEY, "bank"))[0]).toBe("setting of in use");
    });
  });
