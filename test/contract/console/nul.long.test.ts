import { expect, it, onTestFinished } from "vitest";
import { consoleScene } from "../../support/console-scene.ts";
import { DATABASE_KINDS, describeDatabase } from "../../support/databases.ts";
import { LOYALTY_KEY } from "../../support/loyalty-bench.ts";
import { Till } from "../../support/till.ts";

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres")) {
  describeDatabase("a NUL, which no text of PostgreSQL may have,", kind, () => {
    it("is no fault of the console, wherever it is typed", async () => {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const scene = await consoleScene(await Till.open({ place: database.options }));
      await scene.installations.activate(LOYALTY_KEY, {}, "active");
      const { memberId } = await scene.loyalty.members.enrol(LOYALTY_KEY, {
        identity: { platformId: "anna-1", phone: "+79039993344" },
        personal: { name: "Анна", phone: "+79039993344" },
        isNative: true,
      });
      const person = scene.browser();
      await person.logIn();
      const faults: string[] = [];
      for (const path of ["/operations", "/operations.csv", "/payments", "/members.csv", "/totals", "/audit"])
        for (const field of ["q", "account", "store", "state", "page"]) {
          const { status } = await person.get(`${path}?${field}=a%00b`);
          if (status >= 500) faults.push(`${path} ${field}`);
        }
      for (const path of ["/operations/a%00b", "/payments/a%00b", "/members/a%00b"])
        if ((await person.get(path)).status >= 500) faults.push(path);
      const form = { reason: "a\u0000b", csrf: await person.csrf() };
      const granted = await person.post(`/members/${memberId}/grant`, { ...form, points: "5", seen: "0" });
      expect({ faults, granted: granted.status }).toEqual({ faults: [], granted: 200 });
    });
  });
}
