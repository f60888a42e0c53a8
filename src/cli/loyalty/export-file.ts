import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import type { InstallationKey } from "../../accounts/installation.ts";
import { makePrivate } from "../../kernel/private-file.ts";
import { type ExportedMember, exportedMembers, Liability } from "../../loyalty/transfers/export.ts";
import type { LoyaltyDesk } from "../../operator/loyalty/services.ts";
import { isoOf } from "./loyalty-json.ts";

interface Exported {
  members: number;
  entries: number;
  debtPoints: number;
  /** The points that members have, by the month in which these points end. */
  liability: readonly { month: string; points: number; kopecks: number }[];
}

/**
 * Writes the members of an account with their ledgers. The file is JSON with one member a line, so that another program can check the sums
 * and the chain of hashes. A file whose name ends in `.csv` has one ledger entry a line instead. Nobody else may read the file, because the
 * JSON contains names and phones.
 */
export async function exportTo(desk: LoyaltyDesk, key: InstallationKey, file: string, signal: AbortSignal): Promise<Exported> {
  const { services, programmes } = desk;
  const zone = await services.zoneOf(key, "");
  const { programme } = await services.store.read((db) => programmes.current(db, key));
  const liability = new Liability(zone, services.clock.nowMs());
  const asTable = file.toLowerCase().endsWith(".csv");
  makePrivate(file);
  const out = createWriteStream(file);
  const write = async (text: string) => {
    if (!out.write(text)) await once(out, "drain");
  };
  let [members, entries] = [0, 0];
  if (asTable) await write(`\uFEFF${COLUMNS.join(";")}\n`);
  for await (const member of exportedMembers(services, key)) {
    if (signal.aborted) break;
    members += 1;
    entries += member.entries.length;
    liability.add(member);
    await write(asTable ? tableLines(member) : `${JSON.stringify(memberJson(member))}\n`);
  }
  out.end();
  await finished(out);
  const months = liability.months.map(({ month, points }) => ({ month, points, kopecks: points * programme.pointValueKopecks }));
  return { members, entries, debtPoints: liability.debtPoints, liability: months };
}

/** Returns the JSON of a member. It contains everything that the hashes of the ledger are computed from (src/loyalty/ledger/entry.ts). */
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
 * Returns the text of a cell. A text that begins like a formula gets an apostrophe before it, so that no spreadsheet program computes it.
 */
function cell(value: string | number): string {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[";\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
