import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { CompiledQuery } from "kysely";
import type { Store } from "../../src/store/database.ts";

/** The endings of the three files of a SQLite database in use. */
export const SUFFIXES = ["", "-wal", "-shm"] as const;
export type Suffix = (typeof SUFFIXES)[number];

/** Copies the files as they are, even while SQLite has them open. */
export function copyFiles(from: string, to: string, suffixes: readonly Suffix[] = SUFFIXES): void {
  for (const suffix of suffixes) {
    if (existsSync(`${from}${suffix}`)) copyFileSync(`${from}${suffix}`, `${to}${suffix}`);
    else rmSync(`${to}${suffix}`, { force: true });
  }
}

/** Overwrites a file like `cp`: the same file gets another content. */
export function overwrite(to: string, from: string, suffixes: readonly Suffix[] = SUFFIXES): void {
  for (const suffix of suffixes) writeFileSync(`${to}${suffix}`, readFileSync(`${from}${suffix}`), { flag: "r+" });
  for (const suffix of suffixes) truncate(`${to}${suffix}`, readFileSync(`${from}${suffix}`).length);
}

function truncate(path: string, bytes: number): void {
  const content = readFileSync(path).subarray(0, bytes);
  if (content.length === readFileSync(path).length) return;
  writeFileSync(path, content);
}

/** Overwrites a file with `cp` in another process: to close the file in this one would free the locks that SQLite has on it. */
export function overwriteElsewhere(to: string, from: string): void {
  const { status, stderr } = spawnSync("cp", [from, to], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

export async function pragma(store: Store, text: string): Promise<void> {
  await store.db.executeQuery(CompiledQuery.raw(`pragma ${text}`));
}

const PROGRAM = `
  const Database = require(process.argv[1]);
  const database = new Database(process.argv[2]);
  for (const text of process.argv.slice(3)) database.exec(text);
  database.close();`;

/** Runs SQL in another process, as a person's own tool does. */
export function elsewhere(file: string, ...texts: string[]): void {
  const library = createRequire(import.meta.url).resolve("better-sqlite3");
  const { status, stderr } = spawnSync(process.execPath, ["-e", PROGRAM, library, file, ...texts], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}
