import { expect, it } from "vitest";
import { writeAudit } from "../../../src/accounts/audit.ts";
import { consoleScene } from "../../support/console-scene.ts";
import { once } from "../../support/registers.ts";
import { saleOperation, Till } from "../../support/till.ts";

const SHOP = 'Лавка <у> "реки"';
const SHOWN = "Лавка &lt;у&gt; &quot;реки&quot;";
const ACCOUNT = "Пекарня «Колос»";

it("every list of the console names the shop and the account, and keeps the id where no name is known", async () => {
  const till = await Till.open();
  await till.openShift();
  await till.submitAndWait(saleOperation("sale-1"));
  till.trial.inject({ before: once("receipt", { kind: "power-cut" as const }) });
  await till.submitAndWait(saleOperation("sale-2"));
  await till.settled();
  const entry = await till.journal.get(1);
  if (entry === undefined) throw new Error("the journal has no entry");
  const { appId, accountId } = entry.key;
  const { storeId } = entry.operation;
  const { browser, shopNames, installations, payments } = await consoleScene(till);
  await payments.create({ operationId: "payment-1" });
  const { payment } = await payments.stored("payment-1");
  const at = { atMs: 1, key: { appId, accountId }, actor: { name: "anna", place: "page" as const } };
  await till.store.commit(async (tx) => {
    await writeAudit(tx, at, { act: "setting", subject: "taxSystem", before: "osn", after: "patent", storeId });
    await writeAudit(tx, at, { act: "setting", subject: "loyalty", after: "on", storeId: "*" });
    await writeAudit(tx, at, { act: "report", subject: "2026-11-30T04:44:14.769Z", after: "x-report", storeId });
    await writeAudit(tx, at, { act: "settle", subject: "sale-2", before: "in-doubt", after: "done", storeId });
    await writeAudit(tx, at, { act: "settle", subject: "payment-2", before: "unknown", after: "paid", storeId });
  });
  const person = browser();
  await person.logIn();
  const pages = [
    "/",
    "/operations",
    "/operations/1",
    "/registers",
    "/audit",
    "/payments",
    `/payments/${payment.id}`,
    "/totals?from=2026-01-01",
  ];
  for (const path of pages) expect([path, (await person.get(path)).text.includes(SHOWN)]).toEqual([path, false]);
  const unnamed = (await person.get("/operations")).text;
  expect(unnamed).toContain(`<td>${storeId}<div class="hint">`);

  shopNames.set(`${accountId}/${storeId}`, SHOP);
  shopNames.set(`${payment.accountId}/${payment.storeId}`, SHOP);
  for (const key of [
    { appId, accountId },
    { appId: payment.appId, accountId: payment.accountId },
  ])
    await installations.activate(key, { accountName: ACCOUNT }, "active");
  for (const path of pages) expect([path, (await person.get(path)).text.includes(SHOWN)]).toEqual([path, true]);
  for (const path of ["/operations/1", "/audit", `/payments/${payment.id}`])
    expect([path, (await person.get(path)).text.includes(ACCOUNT)]).toEqual([path, true]);

  const audit = (await person.get("/audit")).text;
  expect(audit).toContain("Система налогообложения");
  expect(audit).toMatch(/<td[^>]*>ОСН<\/td><td[^>]*>Патент<\/td>/);
  expect(audit).toContain(`${ACCOUNT} / все точки продаж`);
  expect(audit).not.toContain("taxSystem");
  expect(audit).toContain('<a href="/console/operations/2026-11-30T04%3A44%3A14.769Z">открыть</a>');
  expect(audit).toContain('<a href="/console/operations/sale-2">sale-2</a>');
  expect(audit).toContain('<a href="/console/payments/payment-2">payment-2</a>');
  const found = (await person.get(`/audit?q=${encodeURIComponent("Система налогообложения")}`)).text;
  expect(found.match(/<tr><td class="number">/g)).toHaveLength(1);
});
