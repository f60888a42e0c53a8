import { type FileHandle, open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { actNoter, OPERATOR } from "../../accounts/audit.ts";
import type { InstallationKey } from "../../accounts/installation.ts";
import { Failure } from "../../kernel/failure.ts";
import { present } from "../../kernel/present.ts";
import { makePrivate } from "../../kernel/private-file.ts";
import { type ExportedMember, exportedMembers, Liability } from "../../loyalty/transfers/export.ts";
import type { LoyaltyDesk } from "../../operator/loyalty/services.ts";
import { UsageError } from "../command.ts";
import { isSystemError } from "../input-file.ts";
import { isoOf } from "./loyalty-json.ts";

interface Exported {
  members: number;
  entries: number;
  debtPoints: number;
  /** The members' points, by the month of their expiry. */
  liability: readonly { month: string; points: number; kopecks: number }[];
}

/**
 * Writes the members of an account with their ledgers. The file is JSON with one member a line, so that another program can check the sums
 * and the chain of hashes. A `.csv` file has one ledger entry a line instead. Only the owner of the file can read it, because the JSON
 * contains names and phones. The audit gets a line before the first member is read, and a line with the number of members at the end. After
 * a signal the file ends early. Throws a `UsageError` when the file cannot be made: then nothing is read, and the audit gets no line.
 * Throws a `Failure` when the file cannot be written to its end.
 */
export async function exportTo(desk: LoyaltyDesk, key: InstallationKey, file: string, signal: AbortSignal): Promise<Exported> {
  const { services, programmes } = desk;
  const zone = await services.zoneOf(key, "");
  await programmes.prepare(key);
  const { programme, periods } = await services.store.read((db) => programmes.current(db, key));
  const liability = new Liability({ zone, nowMs: services.clock.nowMs(), periods });
  const note = actNoter(services);
  const noteExport = (after?: string) => note({ key, actor: OPERATOR }, { act: "export", subject: "members", ...present({ after }) });
  const counted = { members: 0, entries: 0 };
  const lines = async function* () {
    const asTable = file.toLowerCase().endsWith(".csv");
    if (asTable) yield `\uFEFF${COLUMNS.join(";")}\n`;
    for await (const member of exportedMembers(services, key)) {
      if (signal.aborted) return;
      counted.members += 1;
      counted.entries += member.entries.length;
      liability.add(member);
      yield asTable ? tableLines(member) : `${JSON.stringify(memberJson(member))}\n`;
    }
  };
  const output = await opened(file);
  let isWhole = false;
  try {
    await noteExport();
    await pipeline(lines, output.createWriteStream()).catch((error: unknown) => {
      if (isSystemError(error)) throw new Failure("export-file", "caller", `${file} cannot be written: ${error.message}`, { cause: error });
      throw error;
    });
    isWhole = !signal.aborted;
  } finally {
    await output.close();
    await noteExport(`${counted.members} rows${isWhole ? "" : ", broken off"}`);
  }
  const months = liability.months.map(({ month, points }) => ({ month, points, kopecks: points * programme.pointValueKopecks }));
  return { ...counted, debtPoints: liability.debtPoints, liability: months };
}

/** Opens the file for its owner only, and empties it. */
async function opened(file: string): Promise<FileHandle> {
  try {
    makePrivate(file);
    return await open(file, "w");
  } catch (error) {
    if (isSystemError(error)) throw new UsageError(`${file} cannot be written: ${error.message}`);
    throw error;
  }
}

/** Returns the JSON of a member, with everything that the ledger's hashes are computed from (src/loyalty/ledger/entry.ts). */
function memberJson({ row, personal, account, lots, entries }: ExportedMember) {
  return {
    id: row.id,
    status: row.status,
    mergedInto: row.merged_into,
    ...personal,
    points: account.points,
    debt: account.debt_points,
    tier: account.tier,
    newestEntry: account.entry_number,
    newestHash: account.entry_hash,
    lots: lots.map(({ member_id: _, ...lot }) => lot),
    entries: entries.map(({ entry: { member_id: _, ...entry }, taken }) => ({ ...entry, taken })),
  };
}

const COLUMNS = ["member", "number", "kind", "points", "debt", "at", "actor", "reason", "order", "hash"];

function tableLines({ row, entries }: ExportedMember): string {
  return entries
    .map(({ entry }) => {
      const { number, kind, points, debt_points: debt, at_ms: atMs, actor, reason, order_id: order, hash } = entry;
      return `${[row.id, number, kind, points, debt, isoOf(atMs), actor, reason ?? "", order ?? "", hash].map(cell).join(";")}\n`;
    })
    .join("");
}

/**
 * Returns the text of a cell. A text that begins like a formula, even after spaces or in full-width signs, gets an apostrophe, so that no
 * spreadsheet program computes it.
 */
function cell(value: string | number): string {
  const text = typeof value === "string" && /^\s*[=+\-@＝＋－＠\t\r]/.test(value) ? `'${value}` : String(value);
  return /[";\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
