import { describe, expect, it } from "vitest";
import type { Operation, PlatformId } from "../../src/model/operation.ts";
import { sample } from "../support/extent.ts";
import { shiftDocument } from "../support/register-documents.ts";
import { SCHEMES, Trial } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { cashOperation, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const DAY_MS = 24 * 3_600_000;

type Shop = "first" | "second";

const SHIFTS = { first: { id: "shift-of-first", idType: "native" }, second: { id: "shift-of-second", idType: "native" } } as const;

async function tillOf(scheme: string): Promise<Till> {
  return Till.open({ trial: await Trial.begin(scheme), rules: { register: "emulator:shared" } });
}

async function told(till: Till, shop: Shop, operation: Operation): Promise<string> {
  const hash = `${operation.kind} ${operation.document.id}`;
  return textOf(await till.submitAndWait(operation, hash, { accountId: `account-${shop}` }));
}

function report(kind: "open-shift" | "close-shift", shop: Shop, shift: PlatformId = SHIFTS[shop]): Operation {
  return shiftOperation(kind, { shift, document: shift, name: shift.id });
}

function sale(shop: Shop, id: string): Operation {
  return saleOperation(`${shop}-${id}`, { shift: SHIFTS[shop] });
}

function salesReturn(shop: Shop, id: string): Operation {
  const sold = saleOperation(`${shop}-return-${id}`, { shift: SHIFTS[shop] });
  // The money goes to a card, because the drawer is empty.
  const payments = { ...sold.payments, cashKopecks: 0, cardKopecks: sold.payments.cashKopecks };
  return { ...sold, kind: "sales-return", payments };
}

function cash(kind: "cash-in" | "cash-out", shop: Shop): Operation {
  return cashOperation(kind, `${shop}-${kind}`, 100, { shift: SHIFTS[shop] });
}

function stateReport(shop: Shop): Operation {
  const document = { id: `state-of-${shop}`, idType: "native" } as const;
  return { kind: "state-report", document, shift: document, storeId: "store", name: "by command", moment: "2026-11-13 10:00:00" };
}

/** The first shop opens its shift and makes further documents. Then the database is replaced by its earlier copy. */
async function lose(till: Till, ...made: Operation[]): Promise<void> {
  const copy = await copyOf(till.store);
  for (const operation of [report("open-shift", "first"), ...made]) expect(await told(till, "first", operation)).toMatch(/^\w+/);
  await restore(till.store, copy);
  await till.killAndRestart();
}

/** The second shop can make only reports of the state in the shift, and the first shop goes on in it. */
async function belongsToTheFirst(till: Till): Promise<void> {
  const { lastDocumentNumber, drawerKopecks, shift } = await till.trial.state();
  const strange = [
    sale("second", "1"),
    salesReturn("second", "1"),
    cash("cash-in", "second"),
    cash("cash-out", "second"),
    report("close-shift", "second"),
    report("close-shift", "second", { id: "of-its-till", idType: "sync" }),
    report("open-shift", "second"),
    report("open-shift", "second", { id: "of-its-till", idType: "sync" }),
  ];
  for (const operation of strange)
    expect([operation.kind, await told(till, "second", operation)]).toEqual([operation.kind, "shift-foreign"]);
  expect(await till.trial.state()).toMatchObject({ lastDocumentNumber, drawerKopecks, shift });
  expect(await told(till, "second", stateReport("second"))).toMatch(/^state-report/);
  expect(await told(till, "first", sale("first", "next"))).toMatch(/^receipt/);
  expect(await told(till, "second", sale("second", "1"))).toBe("shift-foreign");
  expect(await told(till, "first", report("close-shift", "first"))).toMatch(/^close-shift/);
}

describe.each(sample(SCHEMES.slice(0, 2), 1))(
  "two accounts with one register, and a restored copy that lacks the opening of the first, %s",
  (scheme) => {
    const FOUND: [string, Operation][] = [
      ["sale", sale("first", "1")],
      ["return", salesReturn("first", "1")],
    ];

    it.each(FOUND)("the second does not trade in the shift once a %s of the first was found in the drive", async (_what, operation) => {
      const till = await tillOf(scheme);
      await lose(till, operation);
      expect(await told(till, "first", operation)).toMatch(/^receipt 3/);
      expect(await till.documents()).toBe(3);
      await belongsToTheFirst(till);
    });

    it.each(FOUND)("nor once the first has made a %s in it since", async (_what, operation) => {
      const till = await tillOf(scheme);
      await lose(till);
      expect(await told(till, "first", operation)).toMatch(/^receipt 3/);
      await belongsToTheFirst(till);
    });

    it("nor after the server has started again, nor where the second made a report of the state before", async () => {
      const till = await tillOf(scheme);
      await lose(till);
      expect(await told(till, "second", stateReport("second"))).toMatch(/^state-report/);
      expect(await told(till, "first", sale("first", "1"))).toMatch(/^receipt/);
      await till.killAndRestart();
      await belongsToTheFirst(till);
    });

    it("nor once the first has its opening back", async () => {
      const till = await tillOf(scheme);
      await lose(till);
      expect(await told(till, "first", sale("first", "1"))).toMatch(/^receipt/);
      expect(await told(till, "first", report("open-shift", "first"))).toMatch(/^open-shift 2/);
      await belongsToTheFirst(till);
    });

    it("nor where the second had the shift before", async () => {
      const till = await tillOf(scheme);
      for (const operation of [report("open-shift", "second"), sale("second", "0"), report("close-shift", "second")]) {
        expect(await told(till, "second", operation)).toMatch(/^\w+(-shift)? \d/);
      }
      await lose(till);
      expect(await told(till, "first", sale("first", "1"))).toMatch(/^receipt 6/);
      const next = { id: "next-of-second", idType: "native" } as const;
      expect(await told(till, "second", report("close-shift", "second", next))).toBe("shift-foreign");
      expect(await told(till, "second", sale("second", "1"))).toBe("shift-foreign");
    });

    it("the shift is the first's where the second has traded in it before a sale of the first was found", async () => {
      const till = await tillOf(scheme);
      await lose(till, sale("first", "1"));
      expect(await told(till, "second", sale("second", "0"))).toMatch(/^receipt 4/);
      expect(await told(till, "first", sale("first", "1"))).toMatch(/^receipt 3/);
      await belongsToTheFirst(till);
    });

    it("nor where only a slip for cash of the first is known in it", async () => {
      const till = await tillOf(scheme);
      await lose(till);
      expect(await told(till, "first", cash("cash-in", "first"))).toMatch(/^cash-in/);
      await belongsToTheFirst(till);
    });

    /** The first shop has closed its shift, and the second trades in its own. The copy has only the shift of the first. */
    async function closedBefore(): Promise<Till> {
      const till = await tillOf(scheme);
      const make: [Shop, Operation][] = [
        ["first", report("open-shift", "first")],
        ["first", sale("first", "0")],
      ];
      const lost: [Shop, Operation][] = [
        ["first", report("close-shift", "first")],
        ["second", { ...report("open-shift", "second"), moment: "2026-11-13 09:10:00" }],
        ["second", sale("second", "1")],
      ];
      for (const [shop, operation] of make) expect(await told(till, shop, operation)).toMatch(/^\w+(-shift)? \d/);
      const copy = await copyOf(till.store);
      for (const [shop, operation] of lost) expect(await told(till, shop, operation)).toMatch(/^\w+(-shift)? \d/);
      await restore(till.store, copy);
      await till.killAndRestart();
      expect(await told(till, "first", report("close-shift", "first"))).toMatch(/^close-shift 4/);
      return till;
    }

    it.each([
      ["sale", sale("first", "late")],
      ["return", salesReturn("first", "late")],
      ["slip for cash", cash("cash-in", "first")],
    ])("nothing is made in the second's shift for one of the first's that was closed before: not a %s", async (_what, late) => {
      const till = await closedBefore();
      expect(await told(till, "first", late)).toBe("shift-foreign");
      await till.killAndRestart();
      expect(await told(till, "first", late)).toBe("shift-foreign");
      expect(await till.documents()).toBe(6);
      expect(await told(till, "second", sale("second", "1"))).toMatch(/^receipt 6/);
      expect(await told(till, "first", late)).toBe("shift-foreign");
      expect(await told(till, "second", sale("second", "2"))).toMatch(/^receipt 7/);
      expect(await told(till, "second", report("close-shift", "second"))).toMatch(/^close-shift 8/);
    });

    it("a shift in which no account has a document is nobody's: each may close it, and trade in it", async () => {
      const closed = await tillOf(scheme);
      await lose(closed);
      expect(await told(closed, "second", report("close-shift", "second"))).toMatch(/^close-shift 3/);
      const traded = await tillOf(scheme);
      await traded.trial.openShift();
      expect(await told(traded, "second", cash("cash-in", "second"))).toMatch(/^cash-in/);
      expect(await told(traded, "second", sale("second", "1"))).toMatch(/^receipt 3/);
      expect(await told(traded, "second", report("close-shift", "second"))).toMatch(/^close-shift 4/);
    });
  },
);

/** Each account has had a shift. Then a shift of the first account, with a sale, was lost. The server opens the shifts. */
async function lostAmongTwo(scheme: string): Promise<Till> {
  const till = await Till.open({ trial: await Trial.begin(scheme), rules: { register: "emulator:shared", shiftOpening: "automatic" } });
  for (const shop of ["first", "second"] as const) {
    const day = { id: `yesterday-of-${shop}`, idType: "native" } as const;
    expect(await told(till, shop, saleOperation(`${shop}-0`, { shift: day }))).toMatch(/^receipt/);
    expect(await told(till, shop, report("close-shift", shop, day))).toMatch(/^close-shift/);
  }
  const copy = await copyOf(till.store);
  expect(await told(till, "first", sale("first", "1"))).toMatch(/^receipt 9/);
  await restore(till.store, copy);
  await till.killAndRestart();
  return till;
}

describe.each(sample(SCHEMES.slice(0, 2).toReversed(), 1))(
  "two accounts with one register on which the server opens shifts, and a copy that lacks one of them, %s",
  (scheme) => {
    const lateOpening = (shop: Shop) => ({ ...report("open-shift", shop), moment: "2026-11-13 15:00:00" });
    const madeIn = (shop: Shop) => [
      sale(shop, "2"),
      salesReturn(shop, "2"),
      cash("cash-in", shop),
      cash("cash-out", shop),
      report("close-shift", shop),
      lateOpening(shop),
    ];

    it.each([0, DAY_MS + 3_600_000])(
      "nobody sells into the shift or closes it while nobody knows whose it is, after %i ms either",
      async (afterMs) => {
        const till = await lostAmongTwo(scheme);
        await till.trial.later(afterMs);
        const { lastDocumentNumber, drawerKopecks, shift } = await till.trial.state();
        for (const shop of ["second", "first"] as const) {
          for (const operation of madeIn(shop)) {
            const refused = operation.kind === "open-shift" && afterMs > DAY_MS ? "shift-expired" : "shift-foreign";
            expect([operation.kind, await told(till, shop, operation)]).toEqual([operation.kind, refused]);
          }
        }
        expect(await till.trial.state()).toMatchObject({ lastDocumentNumber, drawerKopecks, shift });
      },
    );

    it("it is that account's which repeats a document of it", async () => {
      const till = await lostAmongTwo(scheme);
      expect(await told(till, "second", sale("second", "1"))).toBe("shift-foreign");
      expect(await told(till, "first", sale("first", "1"))).toMatch(/^receipt 9/);
      await belongsToTheFirst(till);
    });

    it("it ends when a person closes it at the register, and each opens its own", async () => {
      const till = await lostAmongTwo(scheme);
      expect(await told(till, "second", sale("second", "1"))).toBe("shift-foreign");
      await till.trial.fiscal(shiftDocument("close-shift"));
      expect(await told(till, "second", sale("second", "1"))).toMatch(/^receipt 12/);
      expect(await told(till, "first", sale("first", "1"))).toMatch(/^receipt 9/);
      expect(await told(till, "first", sale("first", "2"))).toBe("shift-foreign");
    });
  },
);
