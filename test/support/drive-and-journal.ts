import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Entry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { unframeRecord } from "../../src/kernel/record-file.ts";
import { DRIVE_RECORD } from "../../src/registers/virtual/drive-record.ts";
import { type DriveRecord, decodeRecord } from "../../src/registers/virtual/records.ts";
import { openStore } from "../../src/store/database.ts";

/** The facts that both a drive's record and a journal's entry have. A cash slip has neither number nor sign. */
export interface Made {
  document: string;
  number: number;
  sign: string;
  sumKopecks: number;
}

/** Everything in the device's drive file, and everything that the journal holds as done. Both are sorted. */
export async function madeAndDone(driveFolder: string, database: string): Promise<{ made: Made[]; done: Made[]; open: Entry[] }> {
  const entries = await entriesOf(database);
  return {
    made: recordsOf(join(driveFolder, "drive.records")).flatMap(madeBy).toSorted(byNumber),
    done: entries
      .filter(({ state }) => state === "done")
      .map(madeFor)
      .toSorted(byNumber),
    open: entries.filter(({ state }) => state !== "done" && state !== "refused"),
  };
}

/** The only subfolder whose name begins in this way. */
export function folderIn(place: string, beginning: string): string {
  const found = readdirSync(place).filter((name) => name.startsWith(beginning));
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} folders ${beginning}* in ${place}`);
  return join(place, only);
}

/** Every record of a drive's file, the oldest first. */
export function recordsOf(file: string): DriveRecord[] {
  const bytes = readFileSync(file);
  const records: DriveRecord[] = [];
  for (let at = 0; at < bytes.length; ) {
    const found = unframeRecord(DRIVE_RECORD, bytes, at);
    if (found.kind !== "record") throw new Error(`the drive's file is ${found.kind} at byte ${at}`);
    records.push(decodeRecord(found.content));
    at = found.end;
  }
  return records;
}

function madeBy(record: DriveRecord): Made[] {
  if (record.kind === "cash") return [{ document: record.document, number: 0, sign: "0", sumKopecks: record.sumKopecks }];
  if (record.kind === "state-report") {
    const { documentNumber, fiscalSign } = record.facts;
    return [{ document: record.kind, number: documentNumber, sign: fiscalSign, sumKopecks: 0 }];
  }
  if (record.kind !== "fiscal") return [];
  const { document, documentNumber, fiscalSign, receipt } = record.facts;
  return [{ document, number: documentNumber, sign: fiscalSign, sumKopecks: receipt?.totalKopecks ?? 0 }];
}

function madeFor({ document, facts }: Entry): Made {
  if (facts?.kind === "cash") return { document: document.kind, number: 0, sign: "0", sumKopecks: facts.sumKopecks };
  if (facts?.kind === "interim") return { document: document.kind, number: 0, sign: "0", sumKopecks: 0 };
  return {
    document: document.kind,
    number: facts?.documentNumber ?? 0,
    sign: facts?.fiscalSign ?? "",
    sumKopecks: facts?.receipt?.totalKopecks ?? 0,
  };
}

function byNumber(a: Made, b: Made): number {
  return a.number - b.number || a.document.localeCompare(b.document) || a.sumKopecks - b.sumKopecks;
}

/** Every entry of a journal. */
export async function entriesOf(database: string): Promise<Entry[]> {
  const store = await openStore({ kind: "sqlite", file: database });
  try {
    return await new Journal({ store, clock: systemClock }).list({ limit: 1_000 });
  } finally {
    await store.close();
  }
}
