import { createPublicKey, verify } from "node:crypto";
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Entry } from "../../src/journal/entry.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { createReceiptPrinter } from "../../src/receipts/draw.ts";

/** A sale that was made, with its request. */
export interface FloorSale {
  entry: Entry;
  answer: Buffer;
  body: Buffer;
  signature: Buffer;
}

/** The milliseconds of a sale in the bare loop. */
export interface Floor {
  ms: number;
  /** The processor time of a sale, in all threads of the loop. */
  workMs: number;
}

/**
 * The time of a sale in a bare loop: the signature is checked, the three durable commits are made (intention, outcome,
 * answer), the drive is flushed, and the same receipt is drawn, packed and encoded. There is no HTTP, no reading of
 * JSON, no rules and no logic of the journal. The first fifth warms up and is not counted.
 */
export async function saleFloor(folder: string, publicKey: string, sales: readonly FloorSale[]): Promise<Floor> {
  const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
  const printer = createReceiptPrinter();
  const commits = openCommits(join(folder, "floor.db"));
  const drive = openSync(join(folder, "floor.drive"), "w");
  const warmUp = Math.floor(sales.length / 5);
  let startedMs = systemClock.monotonicMs();
  let startedUsage = process.cpuUsage();
  for (const [index, { entry, answer, body, signature }] of sales.entries()) {
    if (index === warmUp) [startedMs, startedUsage] = [systemClock.monotonicMs(), process.cpuUsage()];
    if (!verify("RSA-SHA256", body, key, signature)) throw new Error("a good signature was refused");
    const { document, facts, paper } = entry;
    if (facts === undefined) throw new Error("a done sale has no facts");
    commits.intention(index, JSON.stringify(document), JSON.stringify(entry.operation));
    writeSync(drive, JSON.stringify({ document, facts }));
    fdatasyncSync(drive);
    commits.outcome(index, JSON.stringify(facts));
    const { zip } = await printer.drawReceipt({ document, facts, paper });
    const text = zip.toString("base64");
    commits.answer(index, text.length > answer.length ? Buffer.from(text) : answer);
  }
  const elapsedMs = systemClock.monotonicMs() - startedMs;
  const { user, system } = process.cpuUsage(startedUsage);
  closeSync(drive);
  commits.close();
  const counted = sales.length - warmUp;
  return { ms: elapsedMs / counted, workMs: (user + system) / 1000 / counted };
}

function openCommits(file: string) {
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec("create table entries (id integer primary key, document text, operation text, facts text) strict");
  database.exec("create table answers (id integer primary key, body blob) strict");
  const insert = database.prepare("insert into entries (id, document, operation) values (?, ?, ?)");
  const update = database.prepare("update entries set facts = ? where id = ?");
  const keep = database.prepare("insert into answers (id, body) values (?, ?)");
  return {
    intention: (id: number, document: string, operation: string) => insert.run(id, document, operation),
    outcome: (id: number, facts: string) => update.run(facts, id),
    answer: (id: number, body: Buffer) => keep.run(id, body),
    close: () => database.close(),
  };
}
