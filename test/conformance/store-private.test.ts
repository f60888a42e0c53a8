import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { lockFolder } from "../../src/registers/folder-lock.ts";
import { DriveFile } from "../../src/registers/virtual/drive-file.ts";
import { openStore } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { lockDataDir } from "../../src/store/lock.ts";
import { lockFolder as lockSandbox } from "../../src/tools/sandbox/account/folder-lock.ts";

const root = mkdtempSync(join(tmpdir(), "store-private-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folder: string;
let umask: number;

beforeEach(() => {
  umask = process.umask(0);
  folder = join(mkdtempSync(join(root, "case-")), "above", "data");
});
afterEach(() => {
  process.umask(umask);
});

/** A server's start, and what it makes: lock, database with its log, memory of an emulator, lock of a sandbox. */
async function start(): Promise<void> {
  const lock = await lockDataDir(folder, { pid: 1, host: "one", since: "2026-11-28T08:00:00.000Z" });
  const store = await openStore({ kind: "sqlite", file: join(folder, "fiscal.sqlite") }, { held: new HeldFiles() });
  await store.migrate();
  lock.begun("here");
  const register = join(folder, "registers", "one");
  const registerLock = await lockFolder(register, 0);
  const drive = await DriveFile.open(join(register, "drive"));
  await drive.load(() => {});
  await drive.append(Buffer.from("a buyer's address"));
  const sandbox = lockSandbox(join(folder, "sandbox"));
  onTestFinished(async () => {
    sandbox.release();
    await drive.close();
    await registerLock.release();
    await store.close();
    await lock.release();
  });
}

/** Modes of all that lies there, by path below the folder. */
function modes(below = folder): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(below, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    found[path.slice(folder.length + 1)] = (statSync(path).mode & 0o777).toString(8);
  }
  return found;
}

const FILES = [
  "fiscal.sqlite",
  "fiscal.sqlite-shm",
  "fiscal.sqlite-wal",
  "registers/one/drive",
  "registers/one/holder.json",
  "sandbox/sandbox.lock",
  "sandbox/sandbox.lock-journal",
  "server.lock",
  "server.lock-journal",
  "server.lock.json",
];
const FOLDERS = ["registers", "registers/one", "sandbox"];
const PRIVATE = Object.fromEntries([...FILES.map((name) => [name, "600"]), ...FOLDERS.map((name) => [name, "700"])]);

describe("what a server keeps", () => {
  it("is this user's alone, with a umask that forbids nothing, and so are the folders that it makes", async () => {
    await start();
    expect(modes()).toEqual(PRIVATE);
    expect([folder, join(folder, "..")].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual(["700", "700"]);
  });

  it("is this user's alone in a folder that everybody may use, which is left as it is", async () => {
    mkdirSync(folder, { recursive: true, mode: 0o777 });
    await start();
    expect(modes()).toEqual(PRIVATE);
    expect((statSync(folder).mode & 0o777).toString(8)).toBe("777");
  });

  it("is taken from others where an earlier start had let them in, with its content", async () => {
    const made = await openStore({ kind: "sqlite", file: join(folder, "fiscal.sqlite") });
    await made.migrate();
    const files = ["fiscal.sqlite", "fiscal.sqlite-wal", "fiscal.sqlite-shm"].map((name) => join(folder, name));
    const content = files.map((path) => readFileSync(path));
    await made.close();
    for (const [at, path] of files.entries()) writeFileSync(path, content[at] ?? "");
    mkdirSync(join(folder, "registers", "one"), { recursive: true, mode: 0o700 });
    mkdirSync(join(folder, "sandbox"), { mode: 0o700 });
    for (const name of FILES.filter((one) => !one.startsWith("fiscal"))) writeFileSync(join(folder, name), "");
    for (const [index, name] of FILES.entries()) chmodSync(join(folder, name), index % 2 === 0 ? 0o644 : 0o777);
    await start();
    expect(modes()).toEqual(PRIVATE);
  });

  it("is taken from others also in folders of registers that this start does not open, but for what a link leads to", async () => {
    const elsewhere = join(mkdtempSync(join(root, "elsewhere-")), "file");
    writeFileSync(elsewhere, "", { mode: 0o644 });
    const deep = join(folder, "registers", "another", "deep");
    mkdirSync(deep, { recursive: true, mode: 0o777 });
    mkdirSync(join(folder, "registers", "one"), { mode: 0o755 });
    for (const name of ["../drive", "../holder.json", "drive.1", "drive.tmp"]) writeFileSync(join(deep, name), "", { mode: 0o666 });
    symlinkSync(elsewhere, join(deep, "link"));
    await start();
    const another = ["", "/deep", "/drive", "/holder.json", "/deep/drive.1", "/deep/drive.tmp"].map((name) => `registers/another${name}`);
    const folders = another.slice(0, 2);
    expect(modes()).toEqual({
      ...PRIVATE,
      ...Object.fromEntries(another.map((name) => [name, folders.includes(name) ? "700" : "600"])),
      "registers/another/deep/link": "644",
    });
  });

  it("is taken from others with whatever else lies beside it: copies, logs, codes of an earlier start; not from folders and links", async () => {
    const others = ["codes.jsonl", "fiscal.sqlite.2026-11-29", "fiscal.sqlite-wal.old", "server.log", "server.lock.json.17", "копия 1"];
    mkdirSync(join(folder, "copies"), { recursive: true });
    const elsewhere = join(mkdtempSync(join(root, "elsewhere-")), "file");
    for (const file of [...others.map((name) => join(folder, name)), join(folder, "copies", "one"), elsewhere])
      writeFileSync(file, "a buyer's address", { mode: 0o666 });
    chmodSync(join(folder, "copies"), 0o750);
    chmodSync(join(folder, "server.log"), 0o4755);
    symlinkSync(elsewhere, join(folder, "link"));
    await start();
    const found = Object.fromEntries([...others, "copies", "copies/one", "link"].map((name) => [name, modes()[name]]));
    expect(found).toEqual({ ...Object.fromEntries(others.map((name) => [name, "600"])), copies: "750", "copies/one": "666", link: "666" });
    expect(readFileSync(join(folder, "codes.jsonl"), "utf8")).toBe("a buyer's address");
  });

  it.each(["there", "not there yet"])("is this user's alone behind a link to what is %s", async (what) => {
    const behind = join(mkdtempSync(join(root, "link-")), "real.sqlite");
    if (what === "there") writeFileSync(behind, "", { mode: 0o666 });
    mkdirSync(folder, { recursive: true });
    symlinkSync(behind, join(folder, "fiscal.sqlite"));
    await start();
    const found = readdirSync(join(behind, "..")).map((name) => [name, (statSync(join(behind, "..", name)).mode & 0o777).toString(8)]);
    expect(found).toEqual(["real.sqlite", "real.sqlite-shm", "real.sqlite-wal"].map((name) => [name, "600"]));
  });
});
