import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/journal/entry.ts";
import type { Operation } from "../../src/model/operation.ts";
import { MAX_TURNS_REFUSED } from "../../src/operations/reading-bounds.ts";
import type { LookUp, Register } from "../../src/registers/register.ts";
import { sample } from "../support/extent.ts";
import { receiptDocument } from "../support/register-documents.ts";
import { once, SCHEMES, Trial } from "../support/registers.ts";
import { journal, paperOf, settled } from "../support/settle-command.ts";
import { cashOperation, SHIFT, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const SALE = saleOperation("sale-1");
const NEXT = saleOperation("sale-2");
const REFUSED = ["--refused", "--why", "the paper has no such receipt"];

/** An operation whose answer was lost with the power. The register answers again, but nobody has asked it yet. */
async function doubtful(till: Till, operation: Operation, fate: "registered" | "not registered" = "registered"): Promise<Entry> {
  const kind = operation.kind === "sale" ? "receipt" : (operation.kind as "open-shift" | "close-shift" | "cash-in");
  const cut = once(kind, { kind: "power-cut" as const });
  till.trial.inject(fate === "registered" ? { after: cut } : { before: cut });
  await till.submitAndWait(operation);
  await till.settled();
  const [entry] = await till.journal.unfinished();
  if (entry === undefined) throw new Error("nothing is in doubt");
  till.trial.device.powerOn();
  return entry;
}

/** The register with another `lookUp`. */
function lookingUp(register: Register, lookUp: Register["lookUp"]): Register {
  return {
    identity: (deadline) => register.identity(deadline),
    inspect: (deadline) => register.inspect(deadline),
    perform: (document, deadline) => register.perform(document, deadline),
    lookUp,
    abandon: (deadline) => register.abandon(deadline),
    close: () => register.close(),
  };
}

async function openTill(scheme = "emulator"): Promise<Till> {
  const till = await Till.open({ trial: await Trial.begin(scheme) });
  await till.openShift();
  return till;
}

describe.each(sample(SCHEMES, 1))("what a person says of a doubt, while %s can be asked", (scheme) => {
  it.each<[string, Record<string, string>, string]>([
    ["a number that is not there", { number: "4" }, "its drive has no document 4"],
    ["a digit too many", { number: "33" }, "its drive has no document 33"],
    ["another document's number", { number: "2" }, "document 2 of its drive is a open-shift"],
    ["another sign", { sign: "0000000001" }, "differs in --sign"],
    ["another shift", { shift: "4000000000" }, "differs in --shift"],
    ["another year", { time: "2030-11-13 09:00" }, "differs in --time"],
    ["another receipt", { receipt: "7" }, "differs in --receipt"],
    ["another sum", { sum: "109.81" }, "109.81 is not what was sent: 109.80 was"],
  ])("is not believed against the drive: %s", async (_what, typed, problem) => {
    const till = await openTill(scheme);
    const { id } = await doubtful(till, SALE);
    for (const more of [[], ["--unconfirmed"]]) {
      const said = await journal(till, "stopped", "settle", `${id}`, "--done", ...(await paperOf(till, 3, typed)), ...more);
      expect(said).toMatchObject({ code: 1, text: expect.stringContaining(problem) });
    }
    expect((await till.journal.get(id))?.state).toBe("in-doubt");
  });

  it("is believed when the drive has the document, and its own facts are kept", async () => {
    const till = await openTill(scheme);
    const { id } = await doubtful(till, SALE);
    const withoutReceipt = (await paperOf(till, 3)).slice(0, -2);
    await settled(till, "stopped", "settle", `${id}`, "--done", ...withoutReceipt);
    const found = await till.trial.lookUp(3);
    expect((await till.journal.get(id))?.facts).toEqual(found.kind === "found" ? found.facts : undefined);
    const { text } = await journal(till, "stopped", "explain", `${id}`);
    expect(text).toContain("in-doubt → done, by person: confirmed by the register\n");
    expect(text).toContain("A person has settled this, and the register confirmed it.");
    expect(text).not.toContain("--again");
    expect(text).not.toContain("once this is settled");
    expect(textOf(await till.submitAndWait(SALE))).toMatch(/^receipt 3/);
  });

  it("is not believed when it says that nothing was registered, and the drive has it", async () => {
    const till = await openTill(scheme);
    const { id } = await doubtful(till, SALE);
    const said = await journal(till, "stopped", "settle", `${id}`, ...REFUSED, "--unconfirmed");
    expect(said).toMatchObject({ code: 1, text: expect.stringContaining("document 3 of its drive is this operation") });
    expect(textOf(await till.submitAndWait(SALE))).toMatch(/^receipt 3/);
  });

  it("is believed when it says that nothing was registered, and all that the drive has is of somebody else", async () => {
    const till = await openTill(scheme);
    const { id } = await doubtful(till, SALE, "not registered");
    await till.trial.perform(receiptDocument({ reference: "fedcba9876543210" }));
    await settled(till, "stopped", "settle", `${id}`, ...REFUSED);
    expect(textOf(await till.submitAndWait(SALE))).toMatch(/^receipt 4/);
  });

  it.each<[Operation["kind"], Operation, number]>([
    ["close-shift", shiftOperation("close-shift"), 3],
    ["open-shift", shiftOperation("open-shift"), 2],
  ])("is measured by the drive for a report too: %s", async (_kind, operation, number) => {
    const till = await Till.open({ trial: await Trial.begin(scheme) });
    if (number === 3) await till.openShift();
    const { id } = await doubtful(till, operation);
    expect((await journal(till, "stopped", "settle", `${id}`, ...REFUSED)).text).toContain(`document ${number} of its drive is this`);
    const wrong = await paperOf(till, number, { sign: "0000000001" });
    expect((await journal(till, "stopped", "settle", `${id}`, "--done", ...wrong)).text).toContain("differs in --sign");
    await settled(till, "stopped", "settle", `${id}`, "--done", ...(await paperOf(till, number)));
    expect(textOf(await till.submitAndWait(operation))).toMatch(new RegExp(`^${operation.kind} ${number}`));
  });

  it("is measured by the drawer for cash, and by nothing where somebody else has moved cash since", async () => {
    const till = await openTill(scheme);
    const { id, checkpoint } = await doubtful(till, cashOperation("cash-in", "in-1", 50_000));
    const paper = ["--time", checkpoint?.deviceTime ?? "", "--shift", "1"];
    expect((await journal(till, "stopped", "settle", `${id}`, ...REFUSED)).text).toContain("the slip was made");
    await till.trial.perform(receiptDocument());
    const said = await journal(till, "stopped", "settle", `${id}`, "--done", ...paper);
    expect(said).toMatchObject({ code: 1, text: expect.stringContaining("that proves nothing") });
    await settled(till, "stopped", "settle", `${id}`, "--done", ...paper, "--unconfirmed");
    expect(textOf(await till.submitAndWait(cashOperation("cash-in", "in-1", 50_000)))).toMatch(/^cash-in 0/);
  });
});

describe("what a person says of a doubt, while the register cannot be asked", () => {
  it.each<["runs" | "stopped", string]>([
    ["runs", "the folder is in use by process 17"],
    ["stopped", "обесточена"],
  ])("needs to be said twice: the server %s", async (server, reason) => {
    const till = await openTill();
    const { id } = await doubtful(till, SALE);
    const paper = await paperOf(till, 3);
    if (server === "stopped") till.trial.inject({ before: () => ({ kind: "power-cut" }) });
    for (const args of [REFUSED, ["--done", ...paper]]) {
      const said = await journal(till, server, "settle", `${id}`, ...args);
      expect(said.code).toBe(1);
      expect(said.text).toContain(reason);
      expect(said.text).toContain("add --unconfirmed");
    }
    expect((await till.journal.get(id))?.state).toBe("in-doubt");
    await settled(till, server, "settle", `${id}`, "--done", ...paper, "--unconfirmed");
    expect((await till.journal.get(id))?.state).toBe("done");
  });

  it.each<[string, LookUp, string]>([
    ["reads no documents", { kind: "unreachable", reason: "архив занят" }, "архив занят"],
    ["does not tell whose they are", { kind: "absent" }, "it does not tell whose document 3 is"],
  ])("needs to be said twice where the register %s", async (_what, answer, reason) => {
    const trial = await Trial.begin("emulator");
    const lookUp: Register["lookUp"] = async (number, deadline) => {
      const found = await trial.register.lookUp(number, deadline);
      if (found.kind !== "found" || answer.kind === "unreachable") return answer;
      return { kind: "found", facts: found.facts };
    };
    const till = await Till.open({
      trial: await Trial.on(async () => ({ ...trial.bench, register: lookingUp(trial.register, lookUp) }), trial.clock),
    });
    // The register's documents may be this server's, of a restored database. So a few turns wait for those that it does not return.
    for (let turn = 0; turn <= MAX_TURNS_REFUSED; turn += 1) {
      await till.openShift();
      await till.settled();
    }
    const { id } = await doubtful(till, SALE);
    const paper = await paperOf(await Till.open({ trial }), 3);
    for (const args of [REFUSED, ["--done", ...paper]]) {
      const said = await journal(till, "stopped", "settle", `${id}`, ...args);
      expect(said).toMatchObject({ code: 1, text: expect.stringContaining("add --unconfirmed") });
      if (args !== REFUSED) expect(said.text).toContain(reason);
    }
    await settled(till, "stopped", "settle", `${id}`, "--done", ...paper, "--unconfirmed");
  });

  it("is not asked of a register that has another drive now", async () => {
    const till = await openTill();
    const { id } = await doubtful(till, SALE);
    const entry = await till.journal.get(id);
    if (entry?.checkpoint === undefined) throw new Error("nothing was sent");
    const moved = { ...entry, checkpoint: { ...entry.checkpoint, driveNumber: "9999078900009999" } };
    const word = await till.trial.settled(till.questions.checkClaim(moved, { kind: "refused" }));
    expect(word).toMatchObject({
      kind: "cannot-tell",
      cause: { code: "drive-changed", now: entry.checkpoint.driveNumber, before: "9999078900009999" },
    });
  });

  it.each<[string, Record<string, string>, string]>([
    ["44 for 3", { number: "44" }, "3 to 10 was expected"],
    ["a shift of the far future", { shift: "4000000000" }, "belongs to shift 1 or 2"],
    ["a year too late", { time: "2030-11-13 09:00" }, "has not come yet"],
    ["receipts that cannot have been", { receipt: "4" }, "expected 1 to 3"],
  ])("is bounded by what the journal knows: %s", async (_what, typed, problem) => {
    const till = await openTill();
    const { id } = await doubtful(till, SALE);
    const said = await journal(till, "runs", "settle", `${id}`, "--done", "--unconfirmed", ...(await paperOf(till, 3, typed)));
    expect(said).toMatchObject({ code: 1, text: expect.stringContaining(problem) });
    expect((await till.journal.get(id))?.state).toBe("in-doubt");
  });
});

describe("what a person has said wrongly", () => {
  it("stops the lane behind a number that is too high, and is replaced: the lane, the repeat and its receipt are right again", async () => {
    const till = await openTill();
    const { id } = await doubtful(till, SALE);
    await settled(till, "runs", "settle", `${id}`, "--done", "--unconfirmed", ...(await paperOf(till, 3, { number: "5" })));
    const wrong = textOf(await till.submitAndWait(SALE));
    expect(wrong).toMatch(/^receipt 5/);
    expect(textOf(await till.submitAndWait(NEXT))).toBe("register-went-back");

    const told = await journal(till, "stopped", "settle", `${id}`, "--done", ...(await paperOf(till, 3)));
    expect(told).toMatchObject({ code: 1, text: expect.stringContaining("say the same with --again") });
    const said = await settled(till, "stopped", "settle", `${id}`, "--done", "--again", ...(await paperOf(till, 3)));
    expect(said).toContain("The platform has been answered with the numbers from before");
    const right = textOf(await till.submitAndWait(SALE));
    expect(right).toMatch(/^receipt 3/);
    await till.killAndRestart();
    expect(textOf(await till.submitAndWait(SALE))).toBe(right);
    expect(textOf(await till.submitAndWait(NEXT))).toMatch(/^receipt 4/);
    expect((await till.journal.moves(id)).map(({ from, to, by }) => `${from} ${to} ${by}`).slice(-3)).toEqual([
      "in-doubt done person",
      "done in-doubt person",
      "in-doubt done person",
    ]);
    expect(await till.documents()).toBe(4);
  });

  it("as done is replaced by nothing registered: the repeat is a new attempt, and the lane goes on", async () => {
    const till = await openTill();
    const { id } = await doubtful(till, SALE, "not registered");
    const time = (await till.trial.state()).time;
    const paper = ["--number", "3", "--sign", "1234567890", "--time", time, "--shift", "1"];
    await settled(till, "runs", "settle", `${id}`, "--done", "--unconfirmed", ...paper);
    expect(textOf(await till.submitAndWait(NEXT))).toBe("register-went-back");
    await settled(till, "stopped", "settle", `${id}`, ...REFUSED, "--again");
    expect(textOf(await till.submitAndWait(NEXT))).toMatch(/^receipt 3/);
    expect(textOf(await till.submitAndWait(SALE))).toMatch(/^receipt 4/);
  });

  it("as nothing registered is replaced by the document that is found", async () => {
    const till = await openTill();
    const { id } = await doubtful(till, SALE);
    await settled(till, "runs", "settle", `${id}`, ...REFUSED, "--unconfirmed");
    await settled(till, "stopped", "settle", `${id}`, "--done", "--again", ...(await paperOf(till, 3)));
    expect(textOf(await till.submitAndWait(SALE))).toMatch(/^receipt 3/);
    expect(textOf(await till.submitAndWait(NEXT))).toMatch(/^receipt 4/);
  });

  it.each(["no paper", "a kill while it waits"])(
    "as nothing registered prints nothing twice, also after a repeat that met %s",
    async (what) => {
      const till = await openTill();
      const { id } = await doubtful(till, SALE);
      await settled(till, "runs", "settle", `${id}`, ...REFUSED, "--unconfirmed");
      if (what === "no paper") {
        till.trial.device.setPaper(false);
        expect(textOf(await till.submitAndWait(SALE))).toBe("no-paper");
        till.trial.device.setPaper(true);
      } else {
        till.trial.inject({ before: once("receipt", { kind: "wait", forMs: 30_000 }) });
        void till.submit(NEXT);
        await till.trial.later(100);
        void till.submit(SALE);
        await till.trial.later(100);
        expect((await till.journal.get(id))?.state).toBe("queued");
        await till.killAndRestart();
        await till.settled();
      }
      expect(textOf(await till.submitAndWait(SALE))).toMatch(/^receipt 3/);
      expect((await till.journal.moves(id)).at(-1)).toMatchObject({ to: "done", by: "look-up" });
    },
  );

  it("of an opening is replaced together with the shift that it stands for", async () => {
    const till = await openTill();
    await till.submitAndWait(shiftOperation("close-shift"));
    const next = { id: "shift-2", idType: "native" } as const;
    const opening = shiftOperation("open-shift", { shift: next, document: next, name: "00002" });
    const { id, checkpoint } = await doubtful(till, opening);
    const wrong = await paperOf(till, 4, { number: "6", sign: "0000000004" });
    await settled(till, "runs", "settle", `${id}`, "--done", "--unconfirmed", ...wrong);
    const sale = saleOperation("sale-1", { shift: next });
    expect(textOf(await till.submitAndWait(sale))).toBe("register-went-back");
    await settled(till, "stopped", "settle", `${id}`, "--done", "--again", ...(await paperOf(till, 4)));
    expect(await till.journal.shiftLinks(checkpoint?.driveNumber ?? "", 2)).toEqual([next]);
    expect(textOf(await till.submitAndWait(opening))).toMatch(/^open-shift 4/);
    expect(textOf(await till.submitAndWait(sale))).toMatch(/^receipt 5/);
    expect(textOf(await till.submitAndWait(saleOperation("of-another", { shift: SHIFT })))).toBe("shift-conflict");
  });

  it("is not replaced by anybody once the register has said itself what became of it", async () => {
    const till = await openTill();
    expect(textOf(await till.submitAndWait(SALE))).toMatch(/^receipt 3/);
    const [sale] = await till.journal.list({ limit: 1 });
    for (const args of [REFUSED, ["--done", ...(await paperOf(till, 3))]]) {
      const said = await journal(till, "stopped", "settle", `${sale?.id}`, ...args, "--again", "--unconfirmed");
      expect(said).toMatchObject({ code: 1, text: expect.stringContaining("is done, and only a doubt can be settled") });
    }
  });
});
