import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { writeWhole } from "../../src/agent/folder/durable-file.ts";
import { AttemptRecord } from "../../src/agent/record.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { lockFile } from "../../src/kernel/folder-lock.ts";
import { lockFolder } from "../../src/registers/folder-lock.ts";
import { LogFile } from "../../src/tools/sandbox/account/log-file.ts";
import { makeAuthority } from "../../src/tools/sandbox/api/listening/certificate.ts";
import { keptAuthority } from "../../src/tools/sandbox/api/listening/kept-authority.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const root = mkdtempSync(join(tmpdir(), "private-earlier-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const READABLE = 0o644;
const clock = new VirtualClock(Date.parse("2026-11-28T08:00:00.000Z"));
let folder: string;
let elsewhere: string;

beforeEach(() => {
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  const place = mkdtempSync(join(root, "case-"));
  [folder, elsewhere] = [join(place, "folder"), join(place, "elsewhere")];
  for (const each of [folder, elsewhere]) mkdirSync(each, { mode: 0o777 });
});

/** The modes of the files in the folder. */
function modes(of: string): Record<string, string> {
  return Object.fromEntries(readdirSync(of).map((name) => [name, (statSync(join(of, name)).mode & 0o777).toString(8)]));
}

/** Makes a file as an earlier start could have left it. */
function readable(file: string, content: string | Buffer = ""): void {
  writeFileSync(file, content, { mode: READABLE });
}

describe("files of an earlier start that others could read", () => {
  it("are this user's alone beside the record of an agent, also behind a link to another folder", () => {
    const real = join(elsewhere, "real.sqlite");
    const earlier = new Database(real);
    earlier.pragma("journal_mode = WAL");
    earlier.exec("create table before (it integer)");
    const files = ["", "-wal", "-shm"].map((ending) => `${real}${ending}`);
    const content = files.map((file) => readFileSync(file));
    earlier.close();
    for (const [at, file] of files.entries()) readable(file, content[at]);
    symlinkSync(real, join(folder, "record.sqlite"));
    const record = AttemptRecord.open(join(folder, "record.sqlite"), { clock, chance: systemChance });
    onTestFinished(() => record.close());
    expect(modes(elsewhere)).toEqual({ "real.sqlite": "600", "real.sqlite-shm": "600", "real.sqlite-wal": "600" });
  });

  it("are this user's alone beside a lock, also behind a link", () => {
    for (const name of ["real.lock", "real.lock-journal"]) readable(join(elsewhere, name));
    symlinkSync(join(elsewhere, "real.lock"), join(folder, "server.lock"));
    const lock = lockFile(join(folder, "server.lock"));
    onTestFinished(() => lock.release());
    expect(modes(elsewhere)).toEqual({ "real.lock": "600", "real.lock-journal": "600" });
  });

  it("are this user's alone where an agent or a register writes them anew over an unfinished one", async () => {
    readable(join(folder, "agent-key.pem.new"));
    writeWhole(join(folder, "agent-key.pem"), "a key", { durable: false });
    readable(join(elsewhere, `holder.json.${process.pid}`));
    const lock = await lockFolder(elsewhere, 0);
    onTestFinished(() => lock.release());
    expect([modes(folder), modes(elsewhere)]).toEqual([{ "agent-key.pem": "600" }, { "holder.json": "600" }]);
  });

  it("are this user's alone where they have the account of a sandbox", async () => {
    const path = join(folder, "account.log");
    readable(`${path}.new`);
    const made = (await LogFile.open(path)).log;
    await made.rewrite([{ header: { format: 1, seed: 1, products: 0 } }, { commits: [] }, { generate: true }]);
    await made.close();
    expect(modes(folder)).toEqual({ "account.log": "600" });
    const whole = readFileSync(path);
    rmSync(path);
    readable(path, Buffer.concat([whole, whole.subarray(0, 10)]));
    readable(`${path}.cut`, "an earlier part");
    const { log } = await LogFile.open(path);
    onTestFinished(() => log.close());
    expect(modes(folder)).toEqual({ "account.log": "600", "account.log.cut": "600" });
  });

  it("are this user's alone where they have the key of a sandbox's authority", async () => {
    const { cert, key } = await makeAuthority(clock);
    readable(join(folder, "authority.pem"), `${cert}${key}`);
    expect((await keptAuthority(folder, clock)).cert).toBe(cert);
    expect(modes(folder)).toEqual({ "authority.pem": "600" });
  });
});
