import { expect, it } from "vitest";
import { consoleScene } from "../../support/console-scene.ts";
import { saleOperation, Till } from "../../support/till.ts";

it("the list of installations names a row that cannot be read, and shows the others", async () => {
  const { browser, installations, till } = await consoleScene();
  await installations.activate({ appId: "app", accountId: "account-spoilt" }, { accountName: "Пекарня" }, "active");
  await installations.activate({ appId: "app", accountId: "account-sound" }, { accountName: "Сыроварня" }, "active");
  await till.store.commit((tx) =>
    tx.updateTable("installations").set({ permissions: '[{"token":"secret"}]' }).where("account_id", "=", "account-spoilt").execute(),
  );
  const person = browser();
  await person.logIn();
  const page = (await person.get("/installations")).text;
  expect(page).toContain("Сыроварня");
  expect(page).toContain("Column permissions of row app/account-spoilt in table installations cannot be read");
  expect(page).not.toContain("secret");
  const csv = (await person.get("/installations.csv")).text;
  expect(csv).toContain("account-sound;Сыроварня;active");
  expect(csv).toMatch(/^account-spoilt;Column permissions of row [^;]*;unreadable;/m);
  expect((await person.get("/operations?account=сыроварня")).status).toBe(200);
});

it("the list of payments, its export and the first page name a payment that cannot be read, and show the others", async () => {
  const { browser, payments } = await consoleScene();
  for (const operationId of ["spoilt", "sound"]) {
    await payments.create({ operationId });
    await payments.follow(3_000);
    await payments.state({ operationId });
  }
  const { id } = (await payments.stored("spoilt")).payment;
  await payments.store.commit((tx) => tx.updateTable("payments").set({ reason: '{"buyer":' }).where("id", "=", id).execute());
  await payments.clock.advance(31 * 60_000);
  const person = browser();
  await person.logIn();
  for (const path of ["/payments", "/payments?q=spoilt", "/"]) {
    const { status, text } = await person.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(text).toContain(`Column reason of row ${id} in table payments cannot be read`);
    if (path !== "/payments?q=spoilt") expect(text).toContain('data-payment="sound"');
    expect(text).not.toContain("buyer");
  }
  const csv = (await person.get("/payments.csv")).text;
  expect(csv).toContain(";sound;");
  expect(csv).toContain(`;spoilt;259,2;unreadable: Column reason of row ${id}`);
});

it("operations that cannot be read are named in lists, exports and totals, and the others are shown", async () => {
  const till = await Till.open();
  await till.openShift();
  for (const id of ["sale-spoilt", "sale-long", "sale-sound"]) await till.submitAndWait(saleOperation(id));
  const rows = await till.store.read((db) => db.selectFrom("entries").select(["id", "document_id", "document"]).execute());
  const rowOf = (documentId: string) => rows.find(({ document_id }) => document_id === documentId) ?? { id: 0, document: "{}" };
  const [spoilt, long] = [rowOf("sale-spoilt"), rowOf("sale-long")];
  const tooLong = JSON.stringify({ ...JSON.parse(long.document), cashierName: "я".repeat(5_000) });
  await till.store.commit(async (tx) => {
    await tx.updateTable("entries").set({ facts: '{"buyer":' }).where("id", "=", spoilt.id).execute();
    await tx.updateTable("entries").set({ document: tooLong }).where("id", "=", long.id).execute();
  });
  const person = (await consoleScene(till)).browser();
  await person.logIn();
  const page = (await person.get("/operations")).text;
  expect(page).toContain('data-operation="sale-sound"');
  expect(page).toContain(`Column facts of row ${spoilt.id} in table entries cannot be read`);
  expect(page).not.toContain("buyer");
  const csv = (await person.get("/operations.csv")).text;
  expect(csv).toContain(`;unreadable: Column facts of row ${spoilt.id} in table entries`);
  expect(csv).toContain(";sale-sound\r\n");
  const totals = (await person.get("/totals")).text;
  expect(totals).toContain("чеков: 1");
  for (const { id } of [spoilt, long]) expect(totals).toContain(` of row ${id} in table entries cannot be read`);
  expect((await person.get("/totals.csv")).text).toContain(`operation ${long.id} is not counted: Column document`);
  expect((await person.get("/")).status).toBe(200);
  for (const { id } of [spoilt, long]) {
    const { status, text: one } = await person.get(`/operations/${id}`);
    expect(status).toBe(500);
    expect(one).toContain('data-problem="unreadable"');
    expect(one).toContain("Запись не читается");
    expect(one).not.toContain("buyer");
  }
});
