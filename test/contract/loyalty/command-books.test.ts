import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLines } from "../../../src/accounts/audit.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import type { Store } from "../../../src/store/database.ts";
import { LOYALTY_KEY, LoyaltyBench } from "../../support/loyalty-bench.ts";
import { customer, LoyaltyContract, sale, sold } from "../../support/loyalty-contract.ts";
import { LoyaltyCommandDesk } from "../../support/loyalty-desk.ts";
import { temporaryFolder } from "../../support/server-process.ts";

const ACCOUNT = LOYALTY_KEY.accountId;
const ROW = { key: "1", name: "Анна Петрова", phone: "+7 903 999-33-44", points: 100 };

let bench: LoyaltyBench;
let till: LoyaltyContract;
let desk: LoyaltyCommandDesk;

beforeEach(async () => {
  bench = await LoyaltyBench.open();
  till = await LoyaltyContract.open(bench);
  desk = new LoyaltyCommandDesk(bench);
});

function file(rows: readonly (object | string)[]): string {
  const path = join(temporaryFolder(), "members.jsonl");
  writeFileSync(path, rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join(""));
  return path;
}

const imported = async (rows: readonly (object | string)[], ...options: string[]) =>
  (await desk.json("import", ACCOUNT, file(rows), ...options)).value;
const history = async (member: string) => (await desk.json("history", ACCOUNT, member)).value;
const lotOf = (points: number, change: object = {}) => ({ points, remaining: points, kind: "migrated", expiresAt: null, ...change });
const findings = async () => (await desk.json("verify")).value;

describe("an import from the command line", () => {
  it("takes a row once, whatever it says when its key comes again", async () => {
    expect(await imported([ROW])).toEqual({ outcome: "imported", rows: 1, known: 0, members: 1, points: 100 });
    const again = { ...ROW, name: "Другая", phone: "+79160000001", points: 900 };
    expect(await imported([again, { ...ROW, key: "2", points: 7 }])).toEqual({
      outcome: "imported",
      rows: 2,
      known: 1,
      members: 0,
      points: 7,
    });
    expect(await history("89039993344")).toMatchObject({ balance: 107, lots: [lotOf(100), lotOf(7)] });
    expect((await desk.run("history", ACCOUNT, "+79160000001")).code).toBe(1);
  });

  it("makes one member of two rows of one phone, each with a lot of its own", async () => {
    const rows = [
      { ...ROW, expiresAt: "2026-12-31" },
      { ...ROW, key: "2", phone: "8 903 999 33 44", points: 20, activeFrom: "2027-01-01" },
    ];
    expect(await imported(rows, "--dry-run")).toEqual({ outcome: "checked", rows: 2, known: 0, members: 1, points: 120 });
    expect((await desk.json("members", ACCOUNT)).value).toEqual([]);
    expect(await imported(rows)).toMatchObject({ outcome: "imported", members: 1, points: 120 });
    // Days are those of Moscow, and the last day is included.
    expect(await history("9039993344")).toMatchObject({
      balance: 100,
      pending: 20,
      lots: [lotOf(100, { expiresAt: "2026-12-31T21:00:00.000Z" }), lotOf(20, { activeFrom: "2026-12-31T21:00:00.000Z" })],
    });
    expect(await findings()).toMatchObject({ findings: [], isRight: true });
  });

  it("names every bad row by its line, in order, and books nothing of the file", async () => {
    await till.enrol();
    await till.enrol({ meta: { id: "other", href: "" }, phone: "+79160000002", discountCardNumber: "777" });
    const path = file([
      { ...ROW, key: "good" },
      { ...ROW, key: "2", points: 1.5 },
      "",
      '{"key": "3"',
      { ...ROW, key: "good" },
      { ...ROW, key: "5", phone: "926" },
      { ...ROW, key: "6", card: "777" },
      { ...ROW, key: "7", bonus: 1 },
      { ...ROW, key: "8", expiresAt: "2026-02-30" },
      { ...ROW, key: "9", activeFrom: "2027-01-02", expiresAt: "2027-01-01" },
    ]);
    const { code, err, out } = await desk.run("import", ACCOUNT, path);
    expect({ code, out, lines: err.map((line) => line.split(":")[0]) }).toEqual({
      code: 1,
      out: [],
      lines: [
        "line 2",
        "line 4",
        "line 5",
        "line 6",
        "line 7",
        "line 8",
        "line 9",
        "line 10",
        "8 rows are wrong, and nothing of the file was booked",
      ],
    });
    expect(err[2]).toBe("line 5: has the key of line 1");
    expect(err[4]).toBe("line 7: phone and card belong to two members");
    expect(err.join("\n")).not.toContain("903");
    expect(await imported([])).toMatchObject({ rows: 0 });
    expect(await history("+79039993344")).toMatchObject({ balance: 0, entries: [] });
  });

  it("gives a member with another phone no points of a row by its card, and one without a phone those of the own card", async () => {
    await till.enrol({ discountCardNumber: "OLD-1" });
    await till.enrol({ meta: { id: "other", href: "" }, phone: undefined, discountCardNumber: "OLD-2" });
    const rows = ["1", "2"].map((nth) => ({ ...ROW, key: nth, phone: `+7916000000${nth}`, card: `OLD ${nth}` }));
    const { code, err } = await desk.run("import", ACCOUNT, file(rows));
    expect({ code, first: err[0] }).toEqual({ code: 1, first: "line 1: card belongs to a member with another phone" });
    expect(await imported(rows.slice(1))).toMatchObject({ outcome: "imported", members: 0, points: 100 });
    expect([await till.balance(), await till.balance("other")]).toEqual([0, 100]);
  });

  it("that broke off in the middle goes on where it ended", async () => {
    const rows = Array.from({ length: 250 }, (_, index) => ({
      key: `k${index}`,
      name: "Имя",
      points: 1,
      phone: `+7903${1_000_000 + index}`,
    }));
    let commits = 0;
    // The database fails at the third transaction of a hundred rows.
    const breaking: Store = Object.create(bench.store, {
      read: { value: (work: Parameters<Store["read"]>[0]) => bench.store.read(work) },
      commit: {
        value: (work: Parameters<Store["commit"]>[0]) => {
          commits += 1;
          if (commits === 3) throw new Failure("database-failed", "dependency", "the database went away");
          return bench.store.commit(work);
        },
      },
    });
    desk.services = { ...bench.services, store: breaking };
    await expect(imported(rows)).rejects.toThrow("the database went away");
    desk.services = bench.services;
    expect(await imported(rows)).toEqual({ outcome: "imported", rows: 250, known: 200, members: 50, points: 50 });
    expect(await imported(rows)).toMatchObject({ known: 250, points: 0 });
    expect(await findings()).toMatchObject({ members: 250, entries: 250, isRight: true });
  });
});

describe("an export from the command line", () => {
  beforeEach(async () => {
    await till.enrol();
    await till.post("/retaildemand", sale("s1"));
    await till.post(
      "/retaildemand",
      sale("s2", { positions: [sold(1, 100, 80)], bonusProgram: { bonusValueToSpend: 20, bonusValueToEarn: 4 } }),
    );
    await desk.run("grant", ACCOUNT, "+79039993344", "5", "--reason", "=1+1");
  });

  it("is for its owner alone, and has all of which the sums and the chain of hashes are made", async () => {
    const path = join(temporaryFolder(), "out.jsonl");
    const { value } = await desk.json("export", ACCOUNT, path);
    expect(value).toEqual({ members: 1, entries: 4, debtPoints: 0, liability: [{ month: "never", points: 39, kopecks: 3_900 }] });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const [text = "", ...rest] = readFileSync(path, "utf8").split("\n");
    expect(rest).toEqual([""]);
    const member: Exported = JSON.parse(text);
    expect(member).toMatchObject({
      name: "Иван Петров",
      phone: "+79039993344",
      card: "100-200",
      status: "active",
      points: 39,
      newestEntry: 4,
    });
    expect(member.lots.reduce((sum, { remaining }) => sum + remaining, 0)).toBe(39);
    expect(recountedHash(member)).toBe(member.newestHash);
  });

  it("counts points that a visit has prolonged by the month in which they end now", async () => {
    await bench.programme({ expiry: { kind: "rolling", days: 10 } });
    await imported([{ ...ROW, phone: "+79160000009" }]);
    const visitor = { agent: { meta: { href: "", id: "" }, phone: "+79160000009" } };
    await bench.clock.advance(6 * 86_400_000);
    expect(
      (await till.post("/retaildemand", sale("s3", { ...visitor, bonusProgram: { bonusValueToSpend: 0, bonusValueToEarn: 0 } }))).status,
    ).toBe(201);
    await bench.clock.advance(6 * 86_400_000);
    const { value } = await desk.json("export", ACCOUNT, join(temporaryFolder(), "out.jsonl"));
    expect(value).toMatchObject({ liability: expect.arrayContaining([{ month: "2026-12", points: 100, kopecks: 10_000 }]) });
  });

  it("is a table of entries where the file ends in .csv, with no cell that a table program would compute", async () => {
    const path = join(temporaryFolder(), "out.CSV");
    await desk.run("export", ACCOUNT, path);
    const [head, ...lines] = readFileSync(path, "utf8").split("\n");
    expect(head).toBe("\uFEFFmember;number;kind;points;debt;at;actor;reason;order;hash");
    expect(lines.slice(0, -1).map((line) => line.split(";").slice(1, 8).join(";"))).toEqual([
      "1;EARN;50;0;2026-11-29T09:00:00.000Z;till;",
      "2;SPEND;-20;0;2026-11-29T09:00:00.000Z;till;",
      "3;EARN;4;0;2026-11-29T09:00:00.000Z;till;",
      "4;GRANT;5;0;2026-11-29T09:00:00.000Z;operator;'=1+1",
    ]);
  });
});

describe("an export from the command line leaves a line of the audit", () => {
  const exportsIn = async () => (await auditLines(bench.store, { limit: 20 })).filter(({ act }) => act === "export").toReversed();

  it("for members whose names and phones are printed", async () => {
    await imported([ROW]);
    expect((await desk.json("members", ACCOUNT)).value).toMatchObject([{ name: ROW.name }]);
    expect((await desk.json("members", ACCOUNT, "Анна")).value).toMatchObject([{ name: ROW.name }]);
    await desk.run("members", ACCOUNT);
    const line = { ...LOYALTY_KEY, actor: "operator", place: "command", subject: "members", after: "1 rows" };
    expect(await exportsIn()).toMatchObject([line, { ...line, reason: "q=•••" }]);
  });

  it("before the first member is read, and one with their number at the end", async () => {
    await till.enrol();
    await desk.run("export", ACCOUNT, join(temporaryFolder(), "out.jsonl"));
    const line = { ...LOYALTY_KEY, actor: "operator", place: "command", subject: "members" };
    expect(await exportsIn()).toMatchObject([line, { ...line, after: "1 rows" }]);
  });

  it("only if the file can be made: otherwise nothing is read, and the reason is one line", async () => {
    await till.enrol();
    for (const path of [join(temporaryFolder(), "missing", "out.jsonl"), temporaryFolder()])
      await expect(desk.run("export", ACCOUNT, path)).rejects.toThrow(new RegExp(`^${path} cannot be written: `));
    expect(await exportsIn()).toEqual([]);
  });

  it("also when the file cannot be written to its end, and the command fails with the reason", async () => {
    await till.enrol();
    await expect(desk.run("export", ACCOUNT, "/dev/full")).rejects.toThrow(/^\/dev\/full cannot be written: ENOSPC/);
    expect((await exportsIn()).map(({ after }) => after)).toEqual([undefined, expect.stringMatching(/^\d+ rows, broken off$/)]);
    expect(statSync("/dev/full").mode & 0o777).toBe(0o666);
  });
});

interface Exported {
  id: string;
  newestHash: string;
  lots: { number: number; kind: string; original: number; remaining: number; active_from_ms: number; expires_at_ms: number | null }[];
  entries: Record<string, unknown>[];
}

/** The chain of hashes as the ledger's description defines it, computed without the program's code. */
function recountedHash({ id, lots, entries }: Exported): string {
  let hash = "";
  for (const entry of entries) {
    const lot = lots.find(({ number }) => number === entry.number);
    const { number, kind, points, debt_points, order_id, part, reverses, at_ms, actor, reason, trace, taken } = entry;
    const said = [id, number, kind, points, debt_points, order_id, part, reverses, at_ms, actor, reason, trace, taken];
    const made = lot === undefined ? null : [lot.kind, lot.original, lot.active_from_ms, lot.expires_at_ms];
    hash = createHash("sha256")
      .update(`${hash}\n${JSON.stringify([...said, made])}`)
      .digest("hex");
  }
  return hash;
}

describe("verify from the command line", () => {
  it("ends with 1 and names the row that was altered, and the column of a sum", async () => {
    await till.enrol();
    await till.post("/retaildemand", sale("s1"));
    expect((await desk.run("verify", ACCOUNT)).out).toEqual([
      "1 members, 1 entries, 1 orders and 0 gift cards were counted: everything adds up",
    ]);
    await bench.store.commit((tx) => tx.updateTable("loyalty_accounts").set({ points: 5_000 }).execute());
    await bench.store.commit((tx) => tx.updateTable("loyalty_entries").set({ actor: "somebody" }).execute());
    const [{ id } = { id: "" }] = await bench.store.read((db) => db.selectFrom("loyalty_members").select("id").execute());
    const { code, out } = await desk.run("verify", ACCOUNT);
    expect(code).toBe(1);
    expect(out).toContain(`loyalty_entries ${id}/1: was altered, or its lot or what it took from lots was; the hash does not fit`);
    expect(out).toContain(`loyalty_accounts ${id}: points is 5000, counted 50`);
    expect(await findings()).toMatchObject({ isRight: false });
  });
});

describe("members from the command line", () => {
  it("are erased once: nothing finds them any more, their ledger stays, and the phone may join again", async () => {
    await till.enrol();
    await till.post("/retaildemand", sale("s1"));
    expect((await desk.run("erase", ACCOUNT, "100-200")).out).toEqual([
      "Everything that tells who the member is was erased; the ledger stays",
    ]);
    for (const name of ["+79039993344", "100200"]) expect((await desk.run("erase", ACCOUNT, name)).code).toBe(1);
    expect((await desk.run("members", ACCOUNT)).out).toEqual(["There are no such members."]);
    const path = join(temporaryFolder(), "out.jsonl");
    await desk.run("export", ACCOUNT, path);
    const text = readFileSync(path, "utf8");
    expect(JSON.parse(text)).toMatchObject({ status: "erased", points: 50 });
    expect(text).not.toMatch(/Петров|9993344|100-200/);
    expect(await findings()).toMatchObject({ entries: 1, isRight: true });
    await till.enrol();
    expect(await history("+79039993344")).toMatchObject({ balance: 0, entries: [] });
  });

  it("are merged and parted again: the points go over and come back, and each is found by its own card", async () => {
    await till.enrol();
    await till.post("/retaildemand", sale("s1"));
    const other = customer({ meta: { id: "other", href: "" }, phone: "+79160000002", discountCardNumber: "777", name: "Пётр Иванов" });
    expect((await till.post("/counterparty", other)).status).toBe(201);
    await desk.run("grant", ACCOUNT, "777", "30", "--reason", "gift");
    const { member: gone } = (await history("777")) as { member: string };
    const merged = await desk.run("merge", ACCOUNT, "100-200", "777");
    expect(merged).toMatchObject({ code: 0, out: [expect.stringMatching(/^Merged: 30 points moved to /)] });
    expect(await history("777")).toMatchObject({ balance: 80 });
    expect((await desk.run("merge", ACCOUNT, "100-200", "777")).err).toEqual(["Nothing was changed: both name the same member"]);
    const undone = await desk.run("merge", ACCOUNT, "100-200", gone, "--undo");
    expect(undone).toMatchObject({ code: 0, out: [expect.stringMatching(/^Undone: 30 points moved back from /)] });
    expect(await history("777")).toMatchObject({ member: gone, balance: 30 });
    expect(await history("100-200")).toMatchObject({ balance: 50 });
    const again = await desk.run("merge", ACCOUNT, "100-200", gone, "--undo");
    expect(again).toMatchObject({
      code: 1,
      err: ["Nothing was changed: the first member has not taken the second one over, or it was undone already"],
    });
    expect(await findings()).toMatchObject({ members: 2, isRight: true });
  });
});

it("each act of the command line leaves who did what, the value before and after, and why", async () => {
  const members = [
    { ...ROW, card: "777" },
    { key: "2", name: "Другая", card: "100-200", points: 7 },
  ];
  await imported(members, "--dry-run");
  await imported(members);
  await imported(members);
  await desk.run("grant", ACCOUNT, "777", "5", "--reason", "извинение");
  const { member: gone } = (await history("777")) as { member: string };
  await desk.run("merge", ACCOUNT, "100-200", "777");
  await desk.run("merge", ACCOUNT, "100-200", gone, "--undo");
  await desk.run("gift-card", "issue", ACCOUNT, "GIFT-1", "50000");
  await desk.run("gift-card", "issue", ACCOUNT, "GIFT-1", "50000");
  await desk.run("erase", ACCOUNT, "777");
  const { member: kept } = (await history("100-200")) as { member: string };
  const lines = (await auditLines(bench.store, { limit: 20 })).toReversed();
  expect(lines.map(({ act, subject, before, after, reason }) => [act, subject, before, after, reason])).toEqual([
    ["import", "members", undefined, "2 rows, 107 points", undefined],
    ["grant", gone, "100", "105", "извинение"],
    ["merge", gone, undefined, kept, undefined],
    ["merge", gone, kept, undefined, undefined],
    ["gift-card", expect.stringMatching(/^[0-9a-f-]{36}$/), undefined, "500.00", undefined],
    ["erase", gone, undefined, "erased", undefined],
  ]);
  expect(lines.every(({ actor, place }) => actor === "operator" && place === "command")).toBe(true);
});
