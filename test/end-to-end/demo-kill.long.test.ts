import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/journal/entry.ts";
import type { DriveRecord } from "../../src/registers/virtual/records.ts";
import { entriesOf, folderIn, recordsOf } from "../support/drive-and-journal.ts";
import { runCommand } from "../support/end-to-end-command.ts";
import { extent } from "../support/extent.ts";
import { temporaryFolder } from "../support/server-process.ts";

const KILLS = extent({ short: 1, long: 8 });
/** A start of the server follows each death, on a machine that runs other tests at the same time. */
const KILLS_LIMIT_MS = 600_000;

describe("the demo with kills", () => {
  it("a server killed with -9 while it works loses no document and makes none twice", { timeout: KILLS_LIMIT_MS }, async () => {
    const folder = temporaryFolder();
    const dataDir = join(folder, "data");
    const { exitCode, out, err } = await runCommand(["demo", "--kill", String(KILLS), "--seed", "7", "--data", dataDir], folder);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(out.match(/kill -9/g)).toHaveLength(KILLS);
    expect(out).toContain(`${KILLS} kills`);

    const printed = recordsOf(join(folderIn(join(dataDir, "registers"), ""), "drive.records")).flatMap(madeBy);
    const entries = await entriesOf(join(dataDir, "fiscal.sqlite"));
    const registered = entries.filter(({ state }) => state === "done").map(madeFor);
    expect(entries.filter(({ state }) => state !== "done").map(({ state, operation }) => [state, operation.kind])).toEqual([
      ["refused", "cash-out"],
    ]);
    // Eleven receipts of the fiscal day, five of the shift with a member, and four of the shift with QR payments.
    expect(printed).toHaveLength(20);
    expect(registered.toSorted(byReference)).toEqual(printed.toSorted(byReference));
  });
});

/** The facts that both a drive's record and a journal's entry have. The reference belongs to one document only. */
interface Made {
  reference: string;
  document: string;
  number: number;
  sign: string;
}

function madeBy(record: DriveRecord): Made[] {
  if (record.kind === "cash") return [{ reference: record.reference, document: record.document, number: 0, sign: "0" }];
  if (record.kind !== "fiscal") return [];
  const { document, documentNumber, fiscalSign } = record.facts;
  return [{ reference: record.reference, document, number: documentNumber, sign: fiscalSign }];
}

function madeFor({ document, facts }: Entry): Made {
  const fiscal = facts?.kind === "fiscal" ? { number: facts.documentNumber, sign: facts.fiscalSign } : { number: 0, sign: "0" };
  return { reference: document.reference, document: document.kind, ...fiscal };
}

function byReference(a: Made, b: Made): number {
  return a.reference.localeCompare(b.reference);
}
