import { expect, it } from "vitest";
import { EVERY_ACCOUNT } from "../../../src/accounts/audit.ts";
import { consoleScene } from "../../support/console-scene.ts";
import { LOYALTY_KEY } from "../../support/loyalty-bench.ts";
import { saleOperation, Till } from "../../support/till.ts";

const LONG = "я\u0001".repeat(500_000);
const MOST_CHARACTERS = 150_000;
const SAID = "показано 4096 знаков из ";

it("a text of a megabyte in an old row is cut on pages and in exports, and they say so", async () => {
  const till = await Till.open();
  await till.openShift();
  await till.submitAndWait(saleOperation("sale-1"));
  const { browser, installations, loyalty, payments } = await consoleScene(till);
  await installations.activate(LOYALTY_KEY, {}, "active");
  const identity = { platformId: "anna-1", phone: "+79039993344", card: "777" };
  const { memberId } = await loyalty.members.enrol(LOYALTY_KEY, { identity, personal: { name: "Анна" }, isNative: true });
  await payments.create({ operationId: "paid" });
  const { payment } = await payments.stored("paid");
  const person = browser();
  await person.logIn();
  const shown = (await person.get(`/members/${memberId}`)).text;
  const [csrf = "", seen = ""] = ["csrf", "seen"].map((name) => new RegExp(`name="${name}" value="([^"]*)"`).exec(shown)?.[1]);
  await person.post(`/members/${memberId}/grant`, { csrf, seen, points: "5", reason: "gift" });
  const words = JSON.stringify({ code: "no-answer", reason: LONG });
  const line = { at_ms: 1, app_id: EVERY_ACCOUNT, account_id: EVERY_ACCOUNT, store_id: null, place: "page", act: "setting" };
  await till.store.commit(async (tx) => {
    await tx.updateTable("entries").set({ state: "in-doubt", doubt: words, facts: null }).where("document_id", "=", "sale-1").execute();
    await tx
      .updateTable("moves")
      .set({ reasons: JSON.stringify([{ code: "said", words: LONG }]) })
      .execute();
    await tx
      .updateTable("payments")
      .set({ reason: JSON.stringify({ code: "mismatch", words: LONG }) })
      .execute();
    await tx
      .updateTable("payment_moves")
      .set({ why: `refused; person: ${LONG}` })
      .execute();
    await tx.updateTable("loyalty_entries").set({ reason: LONG }).execute();
    await tx
      .insertInto("audit")
      .values({ ...line, actor: LONG, subject: LONG, before: LONG, after: LONG, reason: LONG })
      .execute();
  });
  for (const path of ["/operations/sale-1", `/payments/${payment.id}`, `/members/${memberId}`, "/audit"]) {
    const { status, text } = await person.get(path);
    expect([path, status, text.length < MOST_CHARACTERS, text.includes(SAID)]).toEqual([path, 200, true, true]);
  }
  const csv = (await person.get("/audit.csv")).text;
  expect([csv.length < MOST_CHARACTERS, csv.includes("4096 of 1000000 characters are shown")]).toEqual([true, true]);
});
