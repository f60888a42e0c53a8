import { expect, it } from "vitest";
import { auditLines } from "../../../src/accounts/audit.ts";
import { consoleScene } from "../../support/console-scene.ts";
import { restoredWithoutSale, SALE } from "../../support/never-given.ts";
import { saleOperation, type Till, textOf } from "../../support/till.ts";

const ADDRESS = "emulator:store";

/** A logged-in person at the console of a till whose register falls silent when its document 3 is requested. */
async function scene() {
  const { till, line } = await restoredWithoutSale();
  const identity = await till.trial.settled(till.trial.register.identity(till.trial.deadline));
  if (identity.kind !== "reached") throw new Error(identity.reason);
  line.fail("silencing", 3);
  await sell(till, SALE.document.id);
  const seen = () => [{ address: ADDRESS, emulated: true, identity: { value: identity.value, atMs: till.trial.clock.nowMs() } }];
  const { browser } = await consoleScene(till, { seen });
  const person = browser();
  await person.logIn();
  return { till, person, drive: identity.value.driveNumber };
}

async function sell(till: Till, id: string): Promise<string | undefined> {
  const answer = textOf(await till.submitAndWait(saleOperation(id)));
  await till.trial.later(60_000);
  return answer.split(" ")[0];
}

it("a document that silences the register is left out at the console, once, with who, why and a stated effect", async () => {
  const { till, person, drive } = await scene();
  const shown = (await person.get("/registers")).text;
  expect(shown).toContain("Документы, которые касса не отдала");
  const form = { csrf: await person.csrf("/registers"), drive, number: "3", reason: "the report of a repair" };
  const done = await person.post("/registers/leave-out", form);
  expect([done.status, done.text.includes("Документ № 3 пропущен."), done.text.includes("leave-out")]).toEqual([200, true, false]);
  const [act] = await auditLines(till.store, { text: "anna", limit: 5 });
  expect(act).toMatchObject({ actor: "anna", place: "page", act: "leave-out", subject: `${drive}/3`, reason: form.reason });
  expect((await person.get("/audit")).text).toContain("Документ накопителя пропущен по решению человека");
  const again = await person.post("/registers/leave-out", form);
  expect([again.status, again.text.includes("пропускать нечего")]).toEqual([409, true]);
  expect(await sell(till, "next")).toBe("receipt");
});

it("a document is not left out at the console without a reason, or if it is none that the register has not returned", async () => {
  const { till, person, drive } = await scene();
  const form = { csrf: await person.csrf("/registers"), drive, number: "3", reason: " " };
  const unsaid = await person.post("/registers/leave-out", form);
  expect(unsaid.status).toBe(422);
  expect(unsaid.text).toMatch(/<input[^>]*name="reason"[^>]*aria-invalid="true"[^>]*autofocus/);
  for (const number of ["2", "x", "", "1e400"]) {
    expect((await person.post("/registers/leave-out", { ...form, number, reason: "why" })).status).toBe(409);
  }
  expect(await auditLines(till.store, { text: "anna", limit: 5 })).toEqual([]);
  expect(await sell(till, "next")).toBe("register-unreachable");
});
