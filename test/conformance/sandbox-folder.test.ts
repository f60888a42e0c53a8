import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { systemChance } from "../../src/kernel/clock.ts";
import { type Log, silentLog } from "../../src/kernel/log.ts";
import { frameRecord } from "../../src/kernel/record-file.ts";
import type { Account } from "../../src/tools/sandbox/account/account.ts";
import { LogFile } from "../../src/tools/sandbox/account/log-file.ts";
import { LOG_RECORD } from "../../src/tools/sandbox/account/log-record.ts";
import { openAccount } from "../../src/tools/sandbox/account/open-account.ts";
import { admitLogins, startToken } from "../../src/tools/sandbox/account/tokens.ts";
import { callerOfToken } from "../../src/tools/sandbox/account/users.ts";
import { EXTENT } from "../support/extent.ts";
import { temporaryFolder } from "../support/registers.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

let data: string;
let log: string;
let filled: number;
let warned: unknown[];

beforeEach(async () => {
  data = join(await temporaryFolder(), "account");
  log = join(data, "account.log");
  filled = 0;
  warned = [];
});

/** An account with one object of its own and generated goods. It is closed when the test ends. */
async function open(options: { seed?: number; products?: number } = {}): Promise<Account> {
  const account = await openAccount({
    clock: new VirtualClock(0),
    chance: systemChance,
    log: { ...silentLog, warn: (values) => void warned.push(values) } satisfies Log,
    data,
    seed: options.seed,
    products: options.products,
    async addShop(fresh) {
      filled += 1;
      await put(fresh, "admin", {}, "login");
    },
    generate(fresh, products) {
      for (let each = 1; each <= products; each += 1) fresh.put({ type: "thing", id: `generated-${each}`, values: { of: fresh.seed } });
    },
  });
  onTestFinished(() => account.close());
  return account;
}

function put(account: Account, id: string, values: object, type = "thing"): Promise<void> {
  return account.commit(() => account.put({ type, id, values: { ...values, administrator: true } }));
}

function things(account: Account): string[] {
  return [...account.objects.all("thing").keys()];
}

/** Closes the account and opens it again from its folder. */
async function again(account: Account, options: { seed?: number; products?: number } = {}): Promise<Account> {
  await account.close();
  return open(options);
}

describe("an account in a folder", () => {
  it("is found again with everything that was committed, in order, and is filled once", async () => {
    const first = await open();
    await put(first, "a", { n: 1 });
    await put(first, "b", { n: 1 });
    await put(first, "a", { n: 2 });
    const id = first.newId();
    await put(first, "c", {});
    const second = await again(first);
    expect(things(second)).toEqual(["a", "b", "c"]);
    expect(second.objects.get("thing", "a")?.values.n).toBe(2);
    expect(second.newId()).not.toBe(id);
    expect(filled).toBe(1);
  });

  it("makes generated goods anew from the seed, and the log holds only what became of them", async () => {
    const first = await open({ products: 1_000, seed: 5 });
    const size = statSync(log).size;
    expect(size).toBeLessThan(1_000);
    await put(first, "own", {});
    await first.commit(() => first.remove({ type: "thing", id: "generated-2", values: {} }));
    await put(first, "generated-3", { n: 3 });
    const second = await again(first);
    expect(things(second)).toEqual(things(first));
    expect(things(second)).toHaveLength(1_000);
    expect(second.objects.get("thing", "generated-3")?.values.n).toBe(3);
    expect(second.objects.get("thing", "generated-1000")?.values.of).toBe(5);
  });

  it("follows the folder when nothing is said, and refuses another seed or number of products in one line", async () => {
    const first = await open({ products: 3, seed: 5 });
    await first.close();
    await expect(open({ seed: 6 })).rejects.toThrow(/^--seed: the folder .* was begun with 5, not 6$/);
    await expect(open({ products: 4 })).rejects.toThrow(/^--products: the folder .* was begun with 3, not 4$/);
    expect(things(await open({ products: 3, seed: 5 }))).toHaveLength(3);
  });

  it("is used by one sandbox at a time", async () => {
    const first = await open();
    await expect(open()).rejects.toThrow(/^--data: the folder .* is in use by another sandbox: stop that one first$/);
    await again(first);
  });

  it("is begun anew when the first start did not come to its end", async () => {
    const first = await open();
    await put(first, "a", {});
    await first.close();
    // The first log is written beside its place. The process was killed before the log was whole and was put there.
    renameSync(log, `${log}.new`);
    truncateSync(`${log}.new`, 40);
    expect(things(await open())).toEqual([]);
    expect(filled).toBe(2);
  });

  it("is written anew at a start when more than half of its log is dead, with the same content", async () => {
    const first = await open({ products: 5 });
    await put(first, "generated-1", { n: 0 });
    await first.commit(() => first.remove({ type: "thing", id: "generated-2", values: {} }));
    for (let each = 0; each < 1_000; each += 250) {
      await Promise.all(Array.from({ length: 250 }, (_, more) => put(first, "a", { n: each + more })));
    }
    await put(first, "b", {});
    const size = statSync(log).size;
    const second = await again(first);
    expect(statSync(log).size).toBeLessThan(size / 10);
    await put(second, "c", {});
    const third = await again(second);
    expect(things(third)).toEqual(["generated-1", "generated-3", "generated-4", "generated-5", "a", "b", "c"]);
    expect(third.objects.get("thing", "a")?.values.n).toBe(999);
    expect([...third.objects.all("login").keys()]).toEqual(["admin"]);
    expect(third.nextId).toBe(first.nextId);
  });

  it("keeps the order in which objects of several types came when it is written anew", async () => {
    const first = await open({ products: 2 });
    const retailShift = { type: "retailshift", id: "shift" };
    const types = ["retaildrawercashin", "retaildemand", "retailsalesreturn", "retaildemand", "retaildrawercashin", "retaildrawercashout"];
    for (const [n, type] of types.entries()) await put(first, `${n}`, { retailShift }, type);
    // An object that was removed and made again has the place of its second creation.
    await first.commit(() => first.remove({ type: "retaildrawercashin", id: "0", values: {} }));
    await put(first, "0", { retailShift }, "retaildrawercashin");
    await Promise.all(Array.from({ length: 1_001 }, (_, n) => put(first, "2", { retailShift, n }, "retailsalesreturn")));
    const operations = (account: Account) => [...account.backlinks.of("retailShift", retailShift).keys()];
    const size = statSync(log).size;
    const second = await again(first);
    expect(statSync(log).size).toBeLessThan(size / 10);
    const third = await again(second);
    expect([first, second, third].map(operations)).toEqual(Array(3).fill(["1", "2", "3", "4", "5", "0"]));
    expect(things(third)).toEqual(["generated-1", "generated-2"]);
  });

  it("takes another password for a login that it knows, and no other login", async () => {
    const account = await open();
    await admitLogins(account, [{ login: "admin", password: "new", administrator: true }]);
    expect((await again(account)).objects.get("login", "admin")?.values.password).toBe("new");
    const stranger = { login: "other", password: "new", administrator: false };
    await expect(admitLogins(account, [stranger])).rejects.toThrow("--employee: the folder was begun without other");
    await expect(admitLogins(account, [{ ...stranger, login: "admin" }])).rejects.toThrow("--employee: the folder was begun without admin");
  });

  it("keeps the administrator's token, until it is revoked", async () => {
    const first = await open();
    await put(first, "admin", { employee: { type: "employee", id: "e" } }, "login");
    const token = await startToken(first, undefined, systemChance);
    const second = await again(first);
    expect(await startToken(second, undefined, systemChance)).toBe(token);
    await second.commit(() => {
      for (const stored of [...second.objects.all("token").values()]) second.remove(stored);
    });
    const third = await again(second);
    const other = await startToken(third, undefined, systemChance);
    expect(other).not.toBe(token);
    expect(callerOfToken(third, token)).toBeUndefined();
    expect(callerOfToken(third, other)).toMatchObject({ administrator: true });
  });
});

describe("the log of an account", () => {
  it("loses an unfinished last record, wherever it was cut, and nothing before it: says so and keeps it beside", async () => {
    const first = await open();
    await put(first, "a", {});
    const whole = statSync(log).size;
    await put(first, "b", {});
    await first.close();
    const bytes = readFileSync(log);
    const aside: Buffer[] = [];
    for (const cut of [whole + 1, whole + 11, whole + 12, whole + 13, bytes.length - 1]) {
      writeFileSync(log, bytes.subarray(0, cut));
      const account = await open();
      expect(things(account)).toEqual(["a"]);
      await account.close();
      expect(statSync(log).size).toBe(whole);
      aside.push(bytes.subarray(whole, cut));
      expect(readFileSync(`${log}.cut`)).toEqual(Buffer.concat(aside));
      expect(warned.at(-1)).toEqual({ path: `${log}.cut`, bytes: cut - whole });
    }
    expect(warned).toHaveLength(aside.length);
  });

  it("loses a last record of which the content did not reach the disk", async () => {
    const first = await open();
    await put(first, "a", {});
    const whole = statSync(log).size;
    await put(first, "b", {});
    await first.close();
    const size = statSync(log).size;
    truncateSync(log, whole + 12);
    truncateSync(log, size);
    expect(things(await open())).toEqual(["a"]);
  });

  /** Expects a refusal with one line that names the file and the place. Nothing in the folder is changed. */
  async function isRefused(bytes: Buffer, at: number): Promise<void> {
    writeFileSync(log, bytes);
    const files = readdirSync(data);
    await expect(open()).rejects.toThrow(new RegExp(`^\\S*account\\.log is damaged at byte ${at}: [^\\n]*$`));
    expect(readFileSync(log).equals(bytes)).toBe(true);
    expect(readdirSync(data)).toEqual(files);
  }

  /** Offsets of the records in a log. */
  function places(bytes: Buffer): number[] {
    const found: number[] = [];
    for (let at = bytes.indexOf("SBX1"); at >= 0; at = bytes.indexOf("SBX1", at + 1)) found.push(at);
    return found;
  }

  it("whose last record has a wrong bit anywhere is refused, and nothing is cut", async () => {
    const first = await open();
    await put(first, "a", {});
    const last = statSync(log).size;
    await put(first, "b", {});
    await first.close();
    const bytes = readFileSync(log);
    // Changes each bit of the head, and one or two bits of each byte of the content.
    for (let bit = last * 8; bit < bytes.length * 8; bit += bit < (last + 12) * 8 ? 1 : 5) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await isRefused(damaged, last);
    }
    writeFileSync(log, bytes);
    expect(things(await open())).toEqual(["a", "b"]);
  });

  it.runIf(EXTENT === "long")("whose last record lacks bytes before its end is refused, and nothing is cut", async () => {
    const first = await open();
    await put(first, "a", {});
    const last = statSync(log).size;
    await put(first, "b", {});
    await first.close();
    const bytes = readFileSync(log);
    const end = bytes.indexOf('"nextId"', last);
    for (let from = last; from < end; from += 1) {
      for (const to of [from + 1, end]) await isRefused(Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]), last);
    }
  });

  it.runIf(EXTENT === "long")("that was written anew at a start is refused when anything of it is missing or wrong", async () => {
    const first = await open();
    await Promise.all(Array.from({ length: 1_001 }, (_, n) => put(first, "a", { n })));
    await (await again(first)).close();
    const bytes = readFileSync(log);
    const records = places(bytes);
    expect(records).toHaveLength(4);
    for (let length = 0; length < bytes.length; length += 3) {
      await isRefused(bytes.subarray(0, length), records.findLast((at) => at <= length) ?? 0);
    }
    for (let each = 0; each < bytes.length; each += 3) {
      const damaged = Buffer.from(bytes);
      damaged[each] = (damaged[each] ?? 0) ^ 4;
      await isRefused(damaged, records.findLast((at) => at <= each) ?? 0);
    }
    writeFileSync(log, bytes);
    expect((await open()).objects.get("thing", "a")?.values.n).toBe(1_000);
    expect(warned).toEqual([]);
  });

  it("of an earlier program, which does not say how much was written at once, is read, and refused where that may be cut", async () => {
    const first = await open();
    await put(first, "a", {});
    await first.close();
    const { entries } = await read();
    const earlier = entries.map((entry) => ("header" in entry ? { header: entry.header } : entry));
    const bytes = Buffer.concat(earlier.map((entry) => frameRecord(LOG_RECORD, Buffer.from(JSON.stringify(entry)))));
    await isRefused(bytes.subarray(0, -1), places(bytes).at(-1) ?? 0);
    await isRefused(bytes.subarray(0, places(bytes)[2]), places(bytes)[2] ?? 0);
    writeFileSync(log, bytes);
    expect(things(await open())).toEqual(["a"]);
  });

  it("that is damaged before a sound record is refused in one line", async () => {
    const first = await open();
    await put(first, "a", {});
    await put(first, "b", {});
    await first.close();
    const bytes = readFileSync(log);
    for (const at of [20, Math.floor(bytes.length / 2)]) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(log, damaged);
      await expect(open()).rejects.toThrow(/^\S*account\.log is damaged at byte \d+: [^\n]*$/);
    }
  });

  it("gives commits of one moment one flush", async () => {
    log = join(await temporaryFolder(), "account.log");
    const { log: file } = await read();
    await file.rewrite([{ header: { format: 1, seed: 1, products: 0 } }]);
    await Promise.all(Array.from({ length: 50 }, (_, each) => file.append({ changes: [], nextId: each })));
    expect(file.flushes).toBe(1);
    await file.append({ changes: [], nextId: 50 });
    expect(file.flushes).toBe(2);
    await file.close();
    const { entries } = await read();
    expect(entries.map((entry) => ("commits" in entry ? entry.commits.length : 0))).toEqual([0, 50, 1]);
  });

  it.each([
    ["was taken away", () => rmSync(log)],
    ["was replaced", () => renameSync(log, `${log}.old`)],
    ["is written by somebody else", () => appendFileSync(log, "x")],
  ])("takes nothing more when its file %s", async (_what, harm) => {
    const account = await open();
    await put(account, "a", {});
    harm();
    expect(account.isLost).toBe(false);
    await expect(put(account, "b", {})).rejects.toThrow(/account\.log: the file (was removed|has)/);
    expect([account.isLost, await account.lost]).toEqual([true, expect.objectContaining({ code: "log-write" })]);
    await expect(put(account, "c", {})).rejects.toThrow("account.log");
  });

  it("takes nothing more once it is closed", async () => {
    const account = await open();
    await account.close();
    await expect(put(account, "a", {})).rejects.toThrow("closed");
  });
});

async function read(): Promise<Awaited<ReturnType<typeof LogFile.open>>> {
  const found = await LogFile.open(log);
  onTestFinished(() => found.log.close());
  return found;
}
