import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CommandIo, UsageError } from "../../src/cli/command.ts";
import { journalCommand } from "../../src/cli/journal.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { Failure } from "../../src/kernel/failure.ts";
import type { CorrectionDocument } from "../../src/model/document.ts";
import type { RegisterChoice } from "../../src/operations/plan.ts";
import { planCorrections } from "../../src/operator/corrections/correction-steps.ts";
import { receiptOf } from "../../src/receipts/receipt.ts";
import { parseStoredReceipt } from "../../src/receipts/schema.ts";
import { parseAddress } from "../../src/registers/catalogue.ts";
import type { Store } from "../../src/store/database.ts";
import { checkpoint, entryContent, entryKey, IDENTITY, openingFacts, saleDocument, saleFacts } from "../support/journal-entries.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { RULES } from "../support/till.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const PAPER = ["--number", "42", "--sign", "2134567890", "--time", "02.03.26 10:15", "--shift", "7", "--receipt", "12"];

const NO_REGISTER: RegisterChoice = { registers: { parse: parseAddress }, rulesOf: async () => RULES };

describe("the journal command", () => {
  let store: Store;
  let journal: Journal;
  let clock: VirtualClock;

  beforeEach(async () => {
    store = await openMemoryStore();
    clock = new VirtualClock(Date.UTC(2026, 2, 2, 3, 15));
    journal = new Journal({ store, clock });
  });
  afterEach(() => store.close());

  async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const out: string[] = [];
    const err: string[] = [];
    const io: CommandIo = { out: (text) => out.push(text), err: (text) => err.push(text), signal: new AbortController().signal };
    const place = {
      open: async () => ({ journal, clock, choice: NO_REGISTER, close: async () => {} }),
      openRegisters: async () => {
        throw new Failure("store-locked", "caller", "the folder is in use by process 17");
      },
    };
    const code = await journalCommand(place).run(args, io);
    return { code, out: out.join("\n"), err: err.join("\n") };
  }

  async function opening(): Promise<Entry> {
    const content = entryContent({
      key: entryKey({ operation: "open-shift", documentId: "shift-1" }),
      document: { kind: "open-shift", reference: "r" },
    });
    const sending = await journal.begin(content, checkpoint({ lastDocumentNumber: 29, shiftNumber: 6, shiftOpen: false }));
    return journal.finish(sending, { kind: "done", facts: openingFacts() }, "register");
  }

  async function doubtfulSale(documentId = "sale-1"): Promise<Entry> {
    const sending = await journal.begin(entryContent({ key: entryKey({ documentId }) }), checkpoint());
    return journal.finish(sending, { kind: "in-doubt", doubt: { code: "no-answer", reason: "касса не ответила" } }, "register");
  }

  it("lists operations, the newest first, with their sums and numbers", async () => {
    await opening();
    await doubtfulSale();
    const { code, out } = await run("list");
    expect(code).toBe(0);
    expect(out.split("\n")).toEqual([
      expect.stringMatching(/^NUMBER\s+ACCEPTED \(UTC\)\s+STATE\s+OPERATION\s+NAME\s+SUM\s+ФД\s+STORE\s+DOCUMENT$/),
      expect.stringMatching(/^2\s+2026-03-02 03:15:00\s+in-doubt\s+sale\s+00017\s+390\.02\s+.*sale-1$/),
      expect.stringMatching(/^1\s+2026-03-02 03:15:00\s+done\s+open-shift\s+00017\s+30\s+.*shift-1$/),
    ]);
    expect((await run("list", "--state", "done", "--limit", "1")).out).toContain("Older ones: --before 1");
    expect((await run("list", "--state", "refused")).out).toBe("There are no such operations.");
  });

  it("tells in list, show and explain of things whose marks could not be read, and where they are", async () => {
    const lines = saleDocument().lines.map((line, at) => (at === 1 ? { ...line, mark: "0104600", unreadMark: "shape" as const } : line));
    const document = { ...saleDocument(), lines, markPolicy: "all" as const };
    const sending = await journal.begin(entryContent({ key: entryKey({ documentId: "sale-1" }), document }), checkpoint());
    await journal.finish(sending, { kind: "done", facts: saleFacts() }, "register");
    expect((await run("list")).out).toContain("  done (mark unread)  sale  ");
    const shown = (await run("show", "sale-1")).out;
    expect(shown).toMatch(/2 {2}Сыр «Российский», весовой {2}0\.356 кг .*\(not read: shape\) 0104600/);
    expect(shown).toContain("sending → done, by register: marks that could not be read, in positions 2 (shape)");
    const explained = (await run("explain", "sale-1")).out;
    expect(explained).toContain(
      "Position 2, Сыр «Российский», весовой: its marking code could not be read (it has the form of no known code), as markPolicy=all allows.",
    );
    expect(explained).toContain("tag 1300: for the state such things stay in circulation");
    expect(explained).not.toContain("0104600");
    const stored = parseStoredReceipt(JSON.parse((await run("show", "sale-1", "--json")).out));
    expect(stored).toMatchObject({ kind: "stored", receipt: { document } });
  });

  it("shows names from outside in letters and in their own line, whatever they hold", async () => {
    const name = "00017\u001b[2J\u009b31m\u202e\nEntry 1: done";
    const content = entryContent({ key: entryKey({ documentId: "sale-1" }) });
    const lines = saleDocument().lines.map((line) => ({ ...line, name }));
    const document = { ...saleDocument(), lines, cashierName: name };
    const sending = await journal.begin({ ...content, document, operation: { ...content.operation, name, storeId: name } }, checkpoint());
    await journal.finish(sending, { kind: "in-doubt", doubt: { code: "no-answer", reason: name } }, "register");
    await clock.advance(90_000);
    for (const args of [["list"], ["show", "sale-1"], ["explain", "sale-1"]]) {
      const { out } = await run(...args);
      expect(out).toContain("00017\\u001b[2J\\u009b31m\\u202e\\u000aEntry 1: done");
      expect(out.split("\n").filter((line) => line.startsWith("Entry 1: done"))).toEqual([]);
      expect(out).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
    }
  });

  it("writes for a done entry the file that a receipt is drawn from", async () => {
    const done = await journal.finish(await doubtfulSale(), { kind: "done", facts: saleFacts() }, "look-up");
    const { code, out } = await run("show", "sale-1", "--json");
    expect(code).toBe(0);
    const stored = parseStoredReceipt(JSON.parse(out));
    expect(stored).toEqual({ kind: "stored", receipt: { document: done.document, facts: saleFacts(), paper: "80" } });
  });

  it("has no receipt of what is not done, and says so", async () => {
    const { id } = await doubtfulSale();
    expect(await run("show", String(id), "--json")).toMatchObject({
      code: 1,
      out: "",
      err: `Entry ${id} is in-doubt: there are no facts to draw a receipt from`,
    });
    expect(JSON.parse((await run("show", String(id), "--raw")).out)).toMatchObject({ id, moves: [{ to: "sending" }, { to: "in-doubt" }] });
  });

  it("explains a doubt with its reason, what was before and how to end it", async () => {
    const { id } = await doubtfulSale();
    const { code, out } = await run("explain", String(id));
    expect(code).toBe(0);
    expect(out).toContain("Unknown because: касса не ответила");
    expect(out).toContain("ended with document 41");
    expect(out).toContain("attempt 1  sending → in-doubt, by register: касса не ответила");
    expect(out).toContain(`journal settle ${id} --done --number`);
  });

  it("explains to the end: whose the doubt is, what to compare, what each answer means and what is due then", async () => {
    await opening();
    const { id } = await doubtfulSale();
    await clock.advance(90_000);
    const { out } = await run("explain", String(id));
    for (const words of [
      "Open for 1 min; a person's since 2026-03-02 03:16:00.",
      "Next: see that the register is switched on and connected",
      "  drive     ФН 9999078900001234, register ЗН EMU-000000000001, РН 0000000001012345",
      "  number    ФД 42 or above",
      "  our id    1f8a2c3d4e5f6071",
      `Exactly one such document is there: it was registered. Settle it with what stands on it:\n  journal settle ${id} --done --number ФД --sign ФП`,
      `No such document is there: nothing was registered. Settle it, and the cashier repeats the document:\n  journal settle ${id} --refused`,
      "If the money changed hands and the document cannot be repeated: a correction receipt, ЧЕК КОРРЕКЦИИ, ПРИХОД",
      "Two or more are there: it was registered twice. Settle it as done with the first one.",
      "ЧЕК КОРРЕКЦИИ, ВОЗВРАТ ПРИХОДА",
      "It is there with the server's id and another sum: it is not what was sent, and it is registered. Settle it with its own figures:",
      "--sum СУММА",
      "Another drive than 9999078900001234 is in the register",
      "What to tell the cashier: «Неизвестно, пробит ли документ.",
    ]) {
      expect(out).toContain(words);
    }
  });

  it("names at once all that is missing of the paper", async () => {
    await opening();
    const { id } = await doubtfulSale();
    await expect(run("settle", String(id), "--done", "--number", "4")).rejects.toThrow(/: --sign, --time, --shift$/);
  });

  it("explains what has ended and what waits for the server without asking anything of anybody", async () => {
    const { id } = await opening();
    const done = await run("explain", String(id));
    expect(done.out).toContain("What to do: nothing. A repeat of the document gets the stored answer.");
    expect(done.out).toContain("«Документ пробит, ФД № 30.");
    expect(done.out).not.toContain("correction");
    const queued = await journal.accept(entryContent({ key: entryKey({ documentId: "waits" }) }));
    const waiting = await run("explain", String(queued.id));
    expect(waiting.out).toContain("Open for 0 s; the server's until 2026-03-02 03:25:00, then a person's.");
    expect(waiting.out).toContain("nothing has been sent yet");
    await journal.finish(queued, { kind: "refused", refusal: { code: "no-paper" } }, "register");
    expect((await run("explain", "waits")).out).toContain("«Документ не пробит. Повторите эту же операцию.»");
  });

  it("explains a refusal by what has to be done before the document is repeated", async () => {
    const queued = await journal.accept(entryContent({ key: entryKey({ documentId: "behind" }) }));
    await journal.finish(queued, { kind: "refused", refusal: { code: "register-went-back" } }, "register");
    expect((await run("explain", "behind")).out).toContain("What to do: the drive is behind the journal");
  });

  it.each(["register-went-back", "lane-stopped", "drive-exhausted", "register-missing"] as const)(
    "tells no cashier to repeat what only the operator can end: %s",
    async (code) => {
      const queued = await journal.accept(entryContent({ key: entryKey({ documentId: "behind" }) }));
      await journal.finish(queued, { kind: "refused", refusal: { code } }, "register");
      const { out } = await run("explain", "behind");
      expect(out).toContain("«Документ не пробит. Не повторяйте его, пока администратор не разберётся с кассой.»");
      expect(out).not.toContain("Повторите эту же операцию");
    },
  );

  it("explains a register that went back by the number that stopped it, and how a typed one is replaced", async () => {
    await opening();
    const { id } = await doubtfulSale();
    await run("settle", String(id), "--done", "--unconfirmed", ...PAPER);
    expect((await run("explain", String(id))).out).toContain(
      `A person has settled this, and the register has not confirmed it. If that was wrong:\n  journal settle ${id} --done`,
    );
    const queued = await journal.accept(entryContent({ key: entryKey({ documentId: "behind" }) }));
    const details = { known: "42", found: "41", entry: String(id) };
    await journal.finish(queued, { kind: "refused", refusal: { code: "register-went-back", details } }, "register");
    const { out } = await run("explain", "behind");
    expect(out).toContain("Until then every document is refused there.");
    expect(out).toContain(`ФД 42 is that of entry ${id}, on a person's word. If it is wrong, say what is right`);
    expect(out).toMatch(new RegExp(`journal settle ${id} --done .* --again`));
  });

  it("replaces nothing that was corrected since", async () => {
    await opening();
    const { id, key } = await doubtfulSale("sale-1");
    await run("settle", String(id), "--done", "--unconfirmed", ...PAPER);
    const done = await journal.find(key);
    const plan = done && planCorrections(done, { today: "2026-03-02" });
    const undo = plan?.kind === "plan" ? plan.corrections[0] : undefined;
    if (undo === undefined) throw new Error("nothing can be corrected");
    await journal.begin(entryContent(undo), checkpoint({ lastDocumentNumber: 42 }));
    const said = await run("settle", String(id), "--refused", "--unconfirmed", "--why", "a mistake", "--again");
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining(`Entry ${id} has been corrected since, by entry 3 (sending)`) });
  });

  it("explains a twin by the entry that was registered in its place", async () => {
    const first = await journal.finish(await doubtfulSale("first"), { kind: "done", facts: saleFacts() }, "look-up");
    const twin = await journal.accept(entryContent({ key: entryKey({ documentId: "twin" }), idType: "native" }));
    await journal.finish(twin, { kind: "refused", refusal: { code: "not-registered" } }, "register");
    const { out } = await run("explain", "twin");
    expect(out).toContain(`came under the other id type as entry ${first.id} (first, done): this one is not registered beside it`);
    expect(out).not.toContain("A repeat of the document is a new attempt");
  });

  it("lists first what waits for a person, the oldest first, with its age and the reason", async () => {
    await doubtfulSale("old");
    await clock.advance(2 * 3_600_000);
    await journal.accept(entryContent({ key: entryKey({ documentId: "new", accountId: "another" }) }));
    await doubtfulSale("young");
    const { out } = await run("list");
    const [title, head, oldest, empty] = out.split("\n");
    expect(title).toBe("1 waits for a person; what to do: journal explain NUMBER");
    expect(head).toMatch(/^NUMBER\s+OPEN FOR\s+STATE\s+OPERATION\s+NAME\s+SUM\s+STORE\s+REGISTER\s+WHY$/);
    expect(oldest).toMatch(/^1\s+2 h\s+in-doubt\s+sale\s+00017\s+390\.02\s+.*emulator:bakery-north-1\s+касса не ответила$/);
    expect(empty).toBe("");
    await clock.advance(10 * 60_000);
    const waiting = (await run("list")).out.split("\n");
    expect(waiting[0]).toBe("3 wait for a person; what to do: journal explain NUMBER");
    expect(waiting.slice(2, 5).map((line) => line.slice(0, 1))).toEqual(["1", "2", "3"]);
    expect((await run("list", "--account", "another")).out).toMatch(/^1 waits/);
    expect((await run("list", "--state", "done")).out).toBe("There are no such operations.");
    expect((await run("list", "--before", "3")).out).not.toContain("for a person");
  });

  it("says what is due when it settles: money that changed hands, or a document too many", async () => {
    await opening();
    const refused = await doubtfulSale("sale-1");
    const settled = await run("settle", String(refused.id), "--refused", "--unconfirmed", "--why", "no paper came out");
    expect(settled.out).toContain("a correction receipt, ЧЕК КОРРЕКЦИИ, ПРИХОД");
    const again = await doubtfulSale("sale-1");
    expect(again.attempt).toBe(2);
    expect((await run("settle", String(again.id), "--done", "--unconfirmed", ...PAPER)).out).toContain(
      "An earlier attempt was settled as not registered",
    );
    expect((await run("explain", "sale-1")).out).toContain("ЧЕК КОРРЕКЦИИ, ВОЗВРАТ ПРИХОДА");
  });

  it("settles a correction as it settles a receipt, its number in the shift included", async () => {
    await opening();
    const document: CorrectionDocument = { ...saleDocument(), kind: "correction", basis: { kind: "own", settledOn: "2026-03-01" } };
    const sending = await journal.begin(entryContent({ document }), checkpoint());
    const { id } = await journal.finish(
      sending,
      { kind: "in-doubt", doubt: { code: "no-answer", reason: "касса не ответила" } },
      "register",
    );
    const { out } = await run("explain", String(id));
    expect(out).toContain("КАССОВЫЙ ЧЕК КОРРЕКЦИИ, ПРИХОД");
    expect(out).toContain("--shift СМЕНА --receipt ЧЕК");
    const { code, out: said } = await run("settle", String(id), "--done", "--unconfirmed", ...PAPER);
    expect(code).toBe(0);
    expect(said).not.toContain("without a copy");
    const settled = await journal.get(id);
    expect(settled?.facts).toEqual(saleFacts({ document: "correction" }));
    if (settled?.facts === undefined) throw new Error("settled without facts");
    expect(receiptOf(settled.document, settled.facts).qr).toContain("i=42");
  });

  it("says that a receipt without its number in the shift goes out without its paper", async () => {
    await opening();
    const { id } = await doubtfulSale();
    expect((await run("settle", String(id), "--done", "--unconfirmed", ...PAPER.slice(0, -2))).out).toContain(
      "without a copy of the paper",
    );
  });

  it("settles a doubt as done with what stands on the paper, so that the receipt can be drawn", async () => {
    await opening();
    const { id } = await doubtfulSale();
    expect(await run("settle", String(id), "--done", "--unconfirmed", ...PAPER, "--why", "paper seen")).toMatchObject({
      code: 0,
      err: `Asking emulator:bakery-north-1 whether its document 42 is that of entry ${id}…`,
    });
    const settled = await journal.get(id);
    expect(settled).toMatchObject({ state: "done", facts: saleFacts() });
    expect((await journal.moves(id)).at(-1)).toMatchObject({
      to: "done",
      by: "person",
      reasons: [{ code: "unconfirmed" }, { code: "said", words: "paper seen" }],
    });
    if (settled?.facts === undefined) throw new Error("settled without facts");
    expect(receiptOf(settled.document, settled.facts).qr).toContain("fp=2134567890");
    expect(await run("settle", String(id), "--done", "--unconfirmed", ...PAPER)).toMatchObject({
      code: 1,
      err: expect.stringContaining("is done on a person's word: to replace that, say the same with --again"),
    });
  });

  it("settles a doubt as refused, after which a repeat is a new attempt", async () => {
    const { id, key } = await doubtfulSale();
    expect(await run("settle", "sale-1", "--refused", "--unconfirmed", "--why", "no paper came out")).toMatchObject({ code: 0 });
    expect(await journal.get(id)).toMatchObject({ state: "refused", refusal: { code: "not-registered" } });
    expect(await journal.begin(entryContent({ key }), checkpoint())).toMatchObject({ id, attempt: 2 });
  });

  it("asks for a description of a register that never finished anything, and takes it from a file", async () => {
    const { id } = await doubtfulSale();
    expect(await run("settle", String(id), "--done", "--unconfirmed", ...PAPER)).toMatchObject({
      code: 1,
      err: expect.stringContaining("--identity FILE"),
    });
    const folder = mkdtempSync(join(tmpdir(), "identity-"));
    try {
      const file = join(folder, "register.json");
      writeFileSync(file, JSON.stringify(IDENTITY));
      expect(await run("settle", String(id), "--done", "--unconfirmed", ...PAPER, "--identity", file)).toMatchObject({ code: 0 });
      writeFileSync(file, "{");
      await expect(
        run("settle", String((await doubtfulSale("sale-2")).id), "--done", "--unconfirmed", ...PAPER, "--identity", file),
      ).rejects.toThrow(UsageError);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("gives no document of another operation away", async () => {
    await opening();
    await journal.finish(await doubtfulSale("sale-1"), { kind: "done", facts: saleFacts() }, "look-up");
    const { id } = await doubtfulSale("sale-2");
    const { code, err } = await run("settle", String(id), "--done", "--unconfirmed", ...PAPER);
    expect(code).toBe(1);
    expect(err).toContain("document 42 belongs to entry 2");
    expect(await journal.get(id)).toMatchObject({ state: "in-doubt" });
  });

  it("names the entries of one document when it is not clear which is meant, and takes the full key", async () => {
    const { key } = await doubtfulSale("same");
    await journal.accept(entryContent({ key: { ...key, operation: "sales-return" } }));
    expect(await run("explain", "same")).toMatchObject({ code: 1, err: "Several entries have this document: 2 (sales-return), 1 (sale)" });
    expect((await run("explain", `${key.appId}/${key.accountId}/sale/same`)).out).toContain("Entry 1: sale");
    expect(await run("explain", "999")).toMatchObject({ code: 1, err: "The journal has no such entry; see `journal list`" });
  });

  it.each([
    [[]],
    [["list", "extra"]],
    [["list", "--state", "gone"]],
    [["list", "--limit", "0"]],
    [["show"]],
    [["settle", "1"]],
    [["settle", "1", "--done", "--refused"]],
    [["settle", "1", "--refused"]],
    [["settle", "1", "--refused", "--why", "no paper", "--number", "42"]],
    [["settle", "1", "--done", "--refused", "--again"]],
    [["explain", "app/account/nothing/document"]],
    [["list", "--unknown"]],
  ])("takes no wrong arguments: %j", async (args) => {
    await expect(run(...args)).rejects.toThrow(UsageError);
  });
});
