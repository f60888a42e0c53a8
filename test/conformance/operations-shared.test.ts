import { describe, expect, it } from "vitest";
import { undone } from "../../src/model/correction.ts";
import { isTrade } from "../../src/model/document.ts";
import type { CorrectionOperation, Operation, PlatformId } from "../../src/model/operation.ts";
import type { StoreRules } from "../../src/operations/services.ts";
import { DAY_MS, once, SCHEMES, Trial } from "../support/registers.ts";
import { cashOperation, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

/** Two shops that do not know each other, with one register. */
type Shop = "first" | "second";

const SHIFTS = {
  first: { id: "shift-of-first", idType: "native" },
  second: { id: "shift-of-second", idType: "native" },
} as const;
/** The money goes to a card, because the drawer is empty. */
const TO_CARD = { ...saleOperation("sold").payments, cashKopecks: 0, cardKopecks: saleOperation("sold").payments.cashKopecks };
const OF_THE_TILL: PlatformId = { id: "shift-of-second-at-its-till", idType: "sync" };

/** By default each point of sale has an address of its own. Here all addresses lead to one device. */
const PLACES: [string, Partial<StoreRules>][] = [
  ["bound to one address", { register: "emulator:shared" }],
  ["bound to an address each", {}],
];

/** A sale of a shop, in the given shift or else in the shop's own. */
function sale(shop: Shop, id: string, shift: PlatformId = SHIFTS[shop]): Operation {
  return saleOperation(`${shop}-${id}`, { shift, storeId: `store-of-${shop}` });
}

function cash(kind: "cash-in" | "cash-out", shop: Shop, id: string, shift: PlatformId = SHIFTS[shop]): Operation {
  return cashOperation(kind, `${shop}-${id}`, 100, { shift, storeId: `store-of-${shop}` });
}

function shiftReport(kind: "open-shift" | "close-shift", shop: Shop, shift: PlatformId = SHIFTS[shop]): Operation {
  return shiftOperation(kind, { shift, document: shift, storeId: `store-of-${shop}`, name: shift.id });
}

async function told(till: Till, shop: Shop, operation: Operation): Promise<string> {
  return textOf(
    await till.submitAndWait(operation, `${shop} ${operation.kind} ${operation.document.id}`, { accountId: `account-${shop}` }),
  );
}

/** A person's correction that undoes a shop's first sale. */
async function correction(till: Till, shop: Shop): Promise<Operation> {
  const [entry] = await till.journal.list({ accountId: `account-${shop}`, documentId: `${shop}-before`, limit: 1 });
  if (entry?.facts?.kind !== "fiscal" || !isTrade(entry.document)) throw new Error("there is nothing to correct");
  const { fiscalSign } = entry.facts;
  const settlement = undone(entry.document, { kind: "own", settledOn: "2026-11-13" }, fiscalSign);
  const document = { id: `sale:${shop}-before:${fiscalSign}:undo`, idType: "native" } as const;
  const { shift, storeId, name, moment } = entry.operation;
  const of: CorrectionOperation["of"] = { operation: "sale", document: { id: `${shop}-before`, idType: "native" } };
  return { kind: "correction", document, shift, storeId, name, moment, step: "undo", of, settlement };
}

describe.each(PLACES)("two accounts with one register, %s", (_place, place) => {
  async function tillOf(rules: Partial<StoreRules> = {}, scheme = SCHEMES[0] ?? ""): Promise<Till> {
    return Till.open({ trial: await Trial.begin(scheme), rules: { ...place, ...rules } });
  }

  /** The second shop has traded and closed its shift. The open shift is the first shop's. */
  async function inTheFirstsShift(scheme?: string): Promise<Till> {
    const till = await tillOf({}, scheme);
    expect(await told(till, "second", shiftReport("open-shift", "second"))).toMatch(/^open-shift 2/);
    expect(await told(till, "second", sale("second", "before"))).toMatch(/^receipt 3/);
    expect(await told(till, "second", shiftReport("close-shift", "second"))).toMatch(/^close-shift 4/);
    expect(await told(till, "first", shiftReport("open-shift", "first"))).toMatch(/^open-shift 5/);
    expect(await told(till, "first", cash("cash-in", "first", "change"))).toMatch(/^cash-in/);
    return till;
  }

  const NAMES: [string, PlatformId][] = [
    ["its own", { id: "next-of-second", idType: "native" }],
    ["its own by the id of its till", OF_THE_TILL],
    ["the other account's", SHIFTS.first],
    ["the other account's by an id of its till", { ...SHIFTS.first, idType: "sync" }],
  ];

  it.each(NAMES)("keep each its own shift: nothing of the second is made in the first's, naming %s", async (_which, shift) => {
    const till = await inTheFirstsShift();
    const { lastDocumentNumber, drawerKopecks } = await till.trial.state();
    const strange: Operation[] = [
      sale("second", "sale", shift),
      { ...saleOperation("second-return", { shift, storeId: "store-of-second" }), kind: "sales-return" },
      cash("cash-in", "second", "in", shift),
      cash("cash-out", "second", "out", shift),
      shiftReport("open-shift", "second", shift),
      shiftReport("close-shift", "second", shift),
      await correction(till, "second"),
    ];
    for (const operation of strange)
      expect([operation.kind, await told(till, "second", operation)]).toEqual([operation.kind, "shift-foreign"]);
    expect(await till.trial.state()).toMatchObject({ lastDocumentNumber, drawerKopecks, shift: { kind: "open", number: 2 } });
    expect(await told(till, "first", sale("first", "sale"))).toMatch(/^receipt 6/);
    expect(await told(till, "first", shiftReport("close-shift", "first"))).toMatch(/^close-shift 7/);
  });

  it("take turns: once the owner has closed, the other opens, and what was refused is made", async () => {
    const till = await inTheFirstsShift();
    const next = { id: "next-of-second", idType: "native" } as const;
    expect(await told(till, "second", shiftReport("open-shift", "second", next))).toBe("shift-foreign");
    expect(await told(till, "second", sale("second", "sale", next))).toBe("shift-foreign");
    expect(await told(till, "first", shiftReport("close-shift", "first"))).toMatch(/^close-shift 6/);
    expect(await told(till, "second", sale("second", "sale", next))).toBe("shift-closed");
    expect(await told(till, "second", shiftReport("open-shift", "second", next))).toMatch(/^open-shift 7/);
    expect(await told(till, "second", sale("second", "sale", next))).toMatch(/^receipt 8/);
    for (const operation of [sale("first", "sale"), shiftReport("close-shift", "first", next), cash("cash-out", "first", "out")]) {
      expect(await told(till, "first", operation)).toBe("shift-foreign");
    }
    expect(await told(till, "second", await correction(till, "second"))).toMatch(/^correction 9/);
    expect(await told(till, "second", shiftReport("close-shift", "second", next))).toMatch(/^close-shift 10/);
  });

  it("are known after a restart, and while the opening was in doubt", async () => {
    const till = await tillOf();
    till.trial.inject({ after: once("open-shift", { kind: "power-cut" }) });
    expect(await told(till, "first", shiftReport("open-shift", "first"))).toBe("in-doubt");
    till.trial.device.powerOn();
    await till.killAndRestart();
    expect(await told(till, "second", sale("second", "sale"))).toBe("shift-foreign");
    expect(await told(till, "second", shiftReport("close-shift", "second"))).toBe("shift-foreign");
    expect(await told(till, "first", shiftReport("open-shift", "first"))).toMatch(/^open-shift 2/);
    expect(await told(till, "first", sale("first", "sale"))).toMatch(/^receipt 3/);
    await till.killAndRestart();
    expect(await told(till, "second", shiftReport("open-shift", "second"))).toBe("shift-foreign");
    expect(await told(till, "first", shiftReport("close-shift", "first"))).toMatch(/^close-shift 4/);
  });

  const MADE: [string, Operation][] = [
    ["sale", sale("first", "sale")],
    ["return", { ...saleOperation("first-return", { shift: SHIFTS.first, payments: TO_CARD }), kind: "sales-return" }],
    ["slip for cash", cash("cash-in", "first", "in")],
  ];

  it.each(MADE)("leave a shift that was opened at the device to the one that has made a %s in it", async (_what, made) => {
    const till = await tillOf();
    await till.trial.openShift();
    expect(await told(till, "first", made)).toMatch(/^(receipt 3|cash-in)/);
    const strange = [
      sale("second", "sale"),
      shiftReport("open-shift", "second"),
      shiftReport("close-shift", "second"),
      cash("cash-in", "second", "in"),
    ];
    for (const operation of strange)
      expect([operation.kind, await told(till, "second", operation)]).toEqual([operation.kind, "shift-foreign"]);
    expect(await told(till, "first", shiftReport("open-shift", "first"))).toMatch(/^open-shift 2/);
    expect(await told(till, "first", shiftReport("close-shift", "first"))).toMatch(/^close-shift/);
    expect(await told(till, "second", shiftReport("open-shift", "second"))).toMatch(/^open-shift/);
  });

  it("find a shift that was opened at the device nobody's, and the one that adopts it has it", async () => {
    const till = await tillOf();
    await till.trial.openShift();
    expect(await told(till, "second", shiftReport("open-shift", "second"))).toMatch(/^open-shift 2/);
    expect(await told(till, "first", sale("first", "sale"))).toBe("shift-foreign");
    expect(await told(till, "first", sale("first", "sale-2"))).toBe("shift-foreign");
    expect(await told(till, "first", shiftReport("open-shift", "first"))).toBe("shift-foreign");
    expect(await told(till, "first", shiftReport("close-shift", "first"))).toBe("shift-foreign");
    expect(await told(till, "second", sale("second", "sale"))).toMatch(/^receipt 3/);
    expect(await told(till, "second", shiftReport("close-shift", "second"))).toMatch(/^close-shift 4/);
  });

  it("may close a shift that was opened at the device and that nobody has adopted", async () => {
    const till = await tillOf();
    await till.trial.openShift();
    expect(await told(till, "second", shiftReport("close-shift", "second"))).toMatch(/^close-shift 3/);
    expect(await told(till, "first", shiftReport("open-shift", "first"))).toMatch(/^open-shift 4/);
    expect(await told(till, "second", sale("second", "sale"))).toBe("shift-foreign");
  });

  it.each([0, DAY_MS])("do not renew each other's shifts where the server opens them, after %i ms either", async (afterMs) => {
    const till = await tillOf({ shiftOpening: "automatic" });
    expect(await told(till, "first", sale("first", "sale"))).toMatch(/^receipt 3/);
    await till.trial.later(afterMs);
    for (const shift of [SHIFTS.second, OF_THE_TILL]) {
      expect(await told(till, "second", sale("second", `sale-${shift.idType}`, shift))).toBe("shift-foreign");
    }
    expect(await told(till, "first", shiftReport("close-shift", "first"))).toMatch(/^close-shift 4/);
    expect(await told(till, "second", sale("second", "sale-native"))).toMatch(/^receipt 6/);
    expect(await told(till, "first", shiftReport("close-shift", "first", { id: "another", idType: "native" }))).toBe("shift-foreign");
  });

  it("may each have reports in between, which change nothing", async () => {
    const till = await inTheFirstsShift();
    for (const kind of ["x-report", "state-report"] as const) {
      const document = { id: `${kind}-1`, idType: "native" } as const;
      const report: Operation = {
        kind,
        document,
        shift: document,
        storeId: "store-of-second",
        name: "by command",
        moment: "2026-11-13 10:00:00",
      };
      expect(await told(till, "second", report)).toMatch(new RegExp(`^${kind}`));
    }
  });

  it("are one owner where both are one account: its points of sale, and the solutions that it has, share their shift as ever", async () => {
    const till = await tillOf();
    const opening = shiftOperation("open-shift", { shift: SHIFTS.first, document: SHIFTS.first, storeId: "one" });
    const other = (id: string, shift: PlatformId) => saleOperation(id, { shift, storeId: "another" });
    expect(textOf(await till.submitAndWait(opening))).toMatch(/^open-shift 2/);
    expect(textOf(await till.submitAndWait(other("sale-1", SHIFTS.first)))).toMatch(/^receipt 3/);
    expect(textOf(await till.submitAndWait(other("sale-2", SHIFTS.second)))).toBe("shift-conflict");
    expect(textOf(await till.submitAndWait(other("sale-3", OF_THE_TILL)))).toMatch(/^receipt 4/);
    expect(textOf(await till.submitAndWait(other("sale-4", SHIFTS.first), "sale-4", { appId: "another-app" }))).toMatch(/^receipt 5/);
  });
});

it("the refusal tells nothing of the account that has the shift", async () => {
  const till = await Till.open();
  await told(till, "first", shiftReport("open-shift", "first"));
  const submitted = await till.submitAndWait(sale("second", "sale"), "sale", { accountId: "account-second" });
  expect(submitted).toEqual({ kind: "refused", refusal: { code: "shift-foreign" } });
});

it.each(SCHEMES.slice(1))("two accounts keep each its own shift on a register that speaks %s", async (scheme) => {
  const till = await Till.open({ trial: await Trial.begin(scheme) });
  expect(await told(till, "first", shiftReport("open-shift", "first"))).toMatch(/^open-shift 2/);
  expect(await told(till, "second", sale("second", "sale", OF_THE_TILL))).toBe("shift-foreign");
  expect(await told(till, "second", shiftReport("close-shift", "second", OF_THE_TILL))).toBe("shift-foreign");
  expect(await told(till, "first", shiftReport("close-shift", "first"))).toMatch(/^close-shift 3/);
});
