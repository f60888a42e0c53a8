import { expect, it } from "vitest";
import { auditLines } from "../../../src/accounts/audit.ts";
import { Settings } from "../../../src/accounts/settings.ts";
import { doubtWords } from "../../../src/contracts/fiscal/doubt-words.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { explanationOf } from "../../../src/operator/explaining/explanation.ts";
import { type Statement, settleByHand } from "../../../src/operator/settling/settle-by-hand.ts";
import { createSeal } from "../../../src/security/seal.ts";
import { sayIn } from "../../../src/web/language.ts";
import type { PageContext } from "../../../src/web/settings/context.ts";
import { settleDoubt } from "../../../src/web/settings/doubt-acts.ts";
import { operationsOf } from "../../../src/web/settings/pages.ts";
import { once } from "../../support/registers.ts";
import { saleOperation, Till } from "../../support/till.ts";
import { parseRegister } from "../../support/vendor.ts";

const SEAL = createSeal(new Secret("a key of the settings' tests"));

/** A point of sale whose register has made a sale and lost its answer two minutes ago. */
async function doubtful() {
  const till = await Till.open();
  const { clock, device } = till.trial;
  await till.openShift();
  till.trial.inject({ after: once("receipt", { kind: "power-cut" as const }) });
  await till.submitAndWait(saleOperation("sale-1"));
  await till.settled();
  await clock.advance(120_000);
  const entry = (await till.journal.list({ documentId: "sale-1", limit: 1 }))[0];
  if (entry === undefined) throw new Error("the journal has no sale");
  const { journal, store } = till;
  const services = {
    journal,
    explain: (one: typeof entry) => explanationOf(journal, one, clock.nowMs()),
    doubtWords,
    settings: new Settings({ store, seal: SEAL, clock, defaults: {}, parseRegister, parseAcquirer: () => ({ kind: "none" }) }),
    desk: {
      standing: async () => ({
        kind: "register" as const,
        address: entry.register,
        waiting: 0,
        doubt: { ...entry, storeId: entry.operation.storeId },
      }),
    },
    settle: (one: typeof entry, statement: Statement, name: string) =>
      settleByHand({ journal, clock, ask: (...asked) => till.questions.checkClaim(...asked) }, one, statement, { name, place: "page" }),
  };
  const { appId, accountId } = entry.key;
  const point = { id: entry.operation.storeId, place: { appId, accountId, storeId: entry.operation.storeId } };
  return { till, device, entry, services, point };
}

function contextOf({ appId, accountId }: { appId: string; accountId: string }, administrator: boolean): PageContext {
  const session = { appId, accountId, name: "olga@shop", role: "admin", administrator, language: "ru", expiresAtMs: 0, csrf: "" } as const;
  const installation = {
    appId,
    accountId,
    state: "active",
    accountName: "shop",
    hasAccessToken: false,
    installedAtMs: 0,
    updatedAtMs: 0,
  } as const;
  return { say: sayIn("ru"), language: "ru", session, installation, mayChange: administrator, nowMs: 0 };
}

it("a doubt is shown with what to look for, and is settled by an administrator once the register confirms it, by nobody's word alone", async () => {
  const { till, device, entry, services, point } = await doubtful();
  const context = contextOf(entry.key, true);
  const shown = (await operationsOf(services, context, point)).toString();
  expect(shown).toMatch(/data-doubt[\s\S]*нужен человек[\s\S]*накопитель \d+, смена 1[\s\S]*data-action="settle"/);
  for (const name of ["number", "sign", "time", "shift", "receipt", "sum", "why"]) expect(shown).toContain(`name="${name}"`);
  expect(shown).not.toContain('name="unconfirmed"');
  const reader = (await operationsOf(services, contextOf(entry.key, false), point)).toString();
  expect(reader).toMatch(/data-doubt[\s\S]*Решить может администратор/);
  expect(reader).not.toContain('data-action="settle"');

  const say = async (form: Record<string, string>, number = String(entry.id), at = point) => {
    const answered = await till.trial.settled(settleDoubt(services, context, at, { number, form: new Map(Object.entries(form)) }));
    return answered === undefined ? undefined : { status: answered.status, markup: answered.markup.toString() };
  };
  const alone = await say({ refused: "1", why: "ленты нет", unconfirmed: "1" });
  expect([alone?.status, alone?.markup.includes("Касса не смогла ответить")]).toEqual([422, true]);
  device.powerOn();
  const found = await till.trial.lookUp(3);
  if (found.kind !== "found" || found.facts.kind !== "fiscal") throw new Error("the drive has no document 3");
  const { documentNumber, fiscalSign, time, shiftNumber } = found.facts;
  const paper = { done: "1", number: String(documentNumber), sign: fiscalSign, time, shift: String(shiftNumber), why: "чек у нас" };
  const blank = await say({ ...paper, time: "скоро" });
  expect([blank?.status, /name="time"[^>]*value="скоро"[^>]*aria-invalid="true"/.test(blank?.markup ?? "")]).toEqual([422, true]);
  const wrong = await say({ ...paper, sign: "12345" });
  expect([wrong?.status, wrong?.markup.includes("Касса говорит другое"), wrong?.markup.includes('value="12345"')]).toEqual([
    422,
    true,
    true,
  ]);
  const elsewhere = { ...point.place, accountId: "another" };
  expect([await say(paper, "999"), await say(paper, "1 or 1"), await say(paper, undefined, { id: point.id, place: elsewhere })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect((await till.journal.get(entry.id))?.state).toBe("in-doubt");

  expect((await say(paper))?.status).toBe(200);
  expect((await till.journal.get(entry.id))?.state).toBe("done");
  expect((await say(paper))?.status).toBe(422);
  expect(await auditLines(till.store, { limit: 10 })).toMatchObject([
    { actor: "olga@shop", place: "page", act: "settle", subject: "sale-1", before: "in-doubt", after: "done", reason: "чек у нас" },
  ]);
});
