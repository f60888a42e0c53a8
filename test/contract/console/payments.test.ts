import { describe, expect, it } from "vitest";
import { auditLines } from "../../../src/accounts/audit.ts";
import { updatePayment } from "../../../src/payments/payment-queries.ts";
import { type Browser, type ConsoleScene, consoleScene, hiddenIn } from "../../support/console-scene.ts";

/** Amounts by which the simulated acquirer decides. */
const NEVER_PAID = 25_902;
const REFUND_REFUSED = 25_907;

async function scene(amountKopecks = 25_920): Promise<ConsoleScene & { person: Browser; id: string }> {
  const opened = await consoleScene();
  const { payments } = opened;
  await payments.create({ amountKopecks });
  await payments.follow(3_000);
  await payments.state();
  const person = opened.browser();
  await person.logIn();
  return { ...opened, person, id: (await payments.stored()).payment.id };
}

describe("payments at the console", () => {
  it("returns money once, however often it is clicked, and writes down who did it and why", async () => {
    const { person, payments, id, till } = await scene();
    const shown = (await person.get(`/payments/${id}`)).text;
    expect(shown).toContain('data-action="refund"');
    const form = { csrf: hiddenIn(shown, "csrf"), seen: hiddenIn(shown, "seen"), amount: "100,20", reason: "the buyer came back" };
    const first = await person.asking(`/payments/${id}/refund`, form);
    expect([first.status, first.text.includes("data-notice")]).toEqual([200, true]);
    const second = await person.asking(`/payments/${id}/refund`, form);
    expect([second.status, (await payments.stored()).refunds.map(({ amountKopecks }) => amountKopecks)]).toEqual([200, [10_020]]);
    expect(await auditLines(till.store, { limit: 10 })).toMatchObject([
      { actor: "anna", place: "page", act: "refund", subject: id, before: "259.20", after: "159.00", reason: "the buyer came back" },
    ]);
  });

  it.each([
    [{ amount: "much", reason: "x" }, "amount", 422],
    [{ amount: "", reason: " " }, "reason", 422],
    [{ amount: "300", reason: "x" }, "amount", 409],
  ])("puts the focus on what is wrong of %j, and returns nothing", async (typed, name, status) => {
    const { person, payments, id } = await scene();
    const shown = (await person.get(`/payments/${id}`)).text;
    const answer = await person.asking(`/payments/${id}/refund`, { csrf: hiddenIn(shown, "csrf"), seen: "0", ...typed });
    expect(answer.status).toBe(status);
    expect(new RegExp(`<input[^>]*name="${name}"[^>]*aria-invalid="true"[^>]*autofocus`).test(answer.text)).toBe(true);
    expect(answer.text).toContain("data-error");
    expect((await payments.stored()).refunds).toEqual([]);
  });

  it("settles what the bank did not tell clearly, and not once more by the same click", async () => {
    const { person, payments, id, till } = await scene(NEVER_PAID);
    await till.store.commit((tx) => updatePayment(tx, id, { state: "unknown" }));
    expect((await person.get("/")).text).toContain('data-payment="operation-1" data-state="unknown"');
    const shown = (await person.get(`/payments/${id}`)).text;
    const form = { csrf: hiddenIn(shown, "csrf"), shown: hiddenIn(shown, "shown"), decision: "paid", reason: "seen at the bank" };
    const undecided = await person.asking(`/payments/${id}/settle`, { csrf: form.csrf, shown: form.shown, reason: "seen" });
    expect([undecided.status, undecided.text.includes('id="decision-error"')]).toEqual([422, true]);
    expect((await person.asking(`/payments/${id}/settle`, form)).status).toBe(200);
    expect((await payments.stored()).payment.state).toBe("paid");
    expect((await person.asking(`/payments/${id}/settle`, form)).status).toBe(409);
    expect(await auditLines(till.store, { limit: 10 })).toMatchObject([
      { actor: "anna", act: "settle", subject: id, before: "unknown", after: "paid", reason: "seen at the bank" },
    ]);
  });

  it("settles a refund that waits for a person, and only the one that was shown", async () => {
    const { person, payments, id, till } = await scene(REFUND_REFUSED);
    const before = (await person.get(`/payments/${id}`)).text;
    expect(before).not.toContain('data-action="settle"');
    const refund = { csrf: hiddenIn(before, "csrf"), seen: "0", amount: "", reason: "back" };
    const { text } = await person.asking(`/payments/${id}/refund`, refund);
    expect([(await payments.stored()).refunds[0]?.state, hiddenIn(text, "shown")]).toEqual(["person", "1"]);
    const form = { csrf: refund.csrf, shown: "1", decision: "not-paid", reason: "seen at the bank" };
    expect((await person.asking(`/payments/${id}/settle`, { ...form, shown: "2" })).status).toBe(409);
    expect((await person.asking(`/payments/${id}/settle`, form)).text).toContain("Решено: возврат 1.");
    expect((await payments.stored()).payment.state).toBe("refunded");
    expect((await auditLines(till.store, { limit: 1 }))[0]).toMatchObject({ before: "refund 1: person", after: "refund 1: done" });
  });

  it("takes no act from another site", async () => {
    const { person, payments, id } = await scene();
    const csrf = hiddenIn((await person.get(`/payments/${id}`)).text, "csrf");
    const form = { csrf, seen: "0", amount: "", reason: "x" };
    expect((await person.post(`/payments/${id}/refund`, form, "https://evil.example")).status).toBe(403);
    expect((await person.post(`/payments/${id}/refund`, { ...form, csrf: "another" })).status).toBe(403);
    expect((await payments.stored()).refunds).toEqual([]);
  });
});
