import { describe, expect, it } from "vitest";
import { auditLines } from "../../../src/accounts/audit.ts";
import { type Browser, type ConsoleScene, consoleScene } from "../../support/console-scene.ts";
import { LOYALTY_KEY } from "../../support/loyalty-bench.ts";
import { saleOperation, Till } from "../../support/till.ts";

async function loggedIn(till?: Till): Promise<ConsoleScene & { person: Browser }> {
  const scene = await consoleScene(till);
  const person = scene.browser();
  await person.logIn();
  return { ...scene, person };
}

const exportsOf = async ({ till }: ConsoleScene) =>
  (await auditLines(till.store, { limit: 50 })).filter(({ act }) => act === "export").reverse();

const dataRows = (file: string) => file.trim().split("\r\n").slice(1);

describe("a list that is saved as a file leaves a line of the audit", () => {
  it("with who took it, the filter and the number of rows", async () => {
    const till = await Till.open();
    await till.openShift();
    await till.submitAndWait(saleOperation("sale-1"));
    const scene = await loggedIn(till);
    const { text } = await scene.person.get("/operations.csv?state=done&from=2026-01-01");
    const lines = await exportsOf(scene);
    expect(lines).toMatchObject([
      {
        ...{ actor: "anna", place: "page", act: "export", subject: "operations" },
        ...{ appId: "*", accountId: "*", after: `${dataRows(text).length} rows`, reason: "state=done, from=2026-01-01" },
      },
    ]);
    expect((await scene.person.get("/audit")).text).toContain("Выгрузка в файл: операции");
  });

  it("whichever list it is, also when it has no row", async () => {
    const scene = await loggedIn();
    const lists = ["operations", "payments", "members", "installations", "totals", "audit"];
    for (const list of lists) expect((await scene.person.get(`/${list}.csv?q=31`)).status).toBe(200);
    expect((await exportsOf(scene)).map(({ subject }) => subject)).toEqual(lists);
  });

  it("at the account that was chosen, and without the words by which a member was searched for", async () => {
    const scene = await loggedIn();
    await scene.installations.activate(LOYALTY_KEY, {}, "active");
    await scene.loyalty.members.enrol(LOYALTY_KEY, {
      identity: { platformId: "anna-1", phone: "+79039993344" },
      personal: { name: "Анна Иванова", phone: "+79039993344" },
      isNative: true,
    });
    for (const q of ["+7 903 999-33-44", "иванова"]) {
      const query = `q=${encodeURIComponent(q)}&account=${LOYALTY_KEY.accountId}`;
      expect(dataRows((await scene.person.get(`/members.csv?${query}`)).text)).toHaveLength(1);
    }
    await scene.person.get(`/operations.csv?q=${encodeURIComponent("anna@shop.example")}`);
    const lines = await exportsOf(scene);
    expect(lines).toMatchObject([
      { ...LOYALTY_KEY, after: "1 rows", reason: `q=•••, account=${LOYALTY_KEY.accountId}` },
      { ...LOYALTY_KEY, after: "1 rows", reason: `q=•••, account=${LOYALTY_KEY.accountId}` },
      { appId: "*", accountId: "*", after: "0 rows", reason: "q=[hidden]" },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/999|иванова|Анна|anna@/i);
  });

  it("which says of a search that found too many members that some are missing, as the file does", async () => {
    const scene = await loggedIn();
    await scene.installations.activate(LOYALTY_KEY, {}, "active");
    for (let number = 10; number < 31; number += 1)
      await scene.loyalty.members.enrol(LOYALTY_KEY, {
        identity: { platformId: `anna-${number}`, phone: `+790399933${number}` },
        personal: { name: "Анна", phone: `+790399933${number}` },
        isNative: true,
      });
    const rows = dataRows((await scene.person.get(`/members.csv?q=${encodeURIComponent("анна")}`)).text);
    expect([rows.length, rows.at(-1)]).toEqual([21, "Возможно, это не всё: данных слишком много. Выберите меньше."]);
    expect((await exportsOf(scene)).map(({ after }) => after)).toEqual(["20 rows, more", "20 rows, cut"]);
    expect(dataRows((await scene.person.get("/members.csv")).text)).toHaveLength(21);
  });

  it("and none when nobody was logged in: there is no file", async () => {
    const scene = await consoleScene();
    expect((await scene.browser().get("/members.csv")).status).toBe(303);
    expect(await exportsOf(scene)).toEqual([]);
  });
});
