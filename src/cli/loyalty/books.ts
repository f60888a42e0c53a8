import type { InstallationKey } from "../../accounts/installation.ts";
import { formatKopecks } from "../../kernel/money.ts";
import { verifyLedger } from "../../loyalty/ledger/verify.ts";
import { type ImportResult, importMembers } from "../../loyalty/transfers/import.ts";
import { issueGiftCard } from "../../operator/loyalty/issue-gift-card.ts";
import type { LoyaltyDesk } from "../../operator/loyalty/services.ts";
import { type CommandIo, lineByLine, UsageError } from "../command.ts";
import { printRecount } from "../recount.ts";
import { exportTo } from "./export-file.ts";
import { ACTOR, type Called } from "./people.ts";
import { contentOf } from "./programme.ts";
import { findingText } from "./words.ts";

/** The largest file to import. A million rows fit into it. */
const MAX_IMPORT_BYTES = 256 * 1024 * 1024;

/** Does one round of the upkeep, which writes what is due now, such as the expiry of points. The server does so every ten minutes. */
export async function expire({ upkeep }: LoyaltyDesk, json: boolean, io: CommandIo): Promise<number> {
  const count = await upkeep.run();
  if (json) io.out(JSON.stringify(count, undefined, 2));
  else io.out(`${count.members} members were brought up to date; ${count.waiting} returns wait for their sale no longer`);
  return 0;
}

/** Recomputes the ledger and compares it with the stored rows. Exit code 1: a row differs, or not everything was compared. */
export async function verify(desk: LoyaltyDesk, key: InstallationKey | undefined, json: boolean, io: CommandIo): Promise<number> {
  const verification = await verifyLedger(desk.services.store, { signal: io.signal, ...(key === undefined ? {} : { key }) });
  const { members, entries, orders, giftCards } = verification;
  const counted = `${members} members, ${entries} entries, ${orders} orders and ${giftCards} gift cards were counted`;
  return printRecount(verification, { textOf: findingText, counted, agrees: "everything adds up" }, json, io);
}

/** Imports members with their points. Exit code 1: a row of the file is wrong, and nothing was booked. */
export async function importFile({ desk, key, json, io }: Called, file: string, dry: boolean): Promise<number> {
  const lines = (await contentOf(file, MAX_IMPORT_BYTES)).replace(/^\uFEFF/, "").split(/\r?\n/);
  const services = { ...desk.services, programmes: desk.programmes, members: desk.members };
  const result = await importMembers(services, key, lines, { dry, actor: ACTOR });
  if (json) {
    const { kind, ...details } = result;
    io.out(JSON.stringify({ outcome: kind, ...details }, undefined, 2));
  } else if (result.kind === "refused") for (const line of badLines(result)) lineByLine(io).err(line);
  else {
    const { rows, known, members, points } = result;
    const done = result.kind === "checked" ? "would be" : "were";
    io.out(`${rows} rows, ${known} of them known already: ${members} members and ${points} points ${done} added`);
  }
  return result.kind === "refused" ? 1 : 0;
}

function badLines({ bad, badRows }: Extract<ImportResult, { kind: "refused" }>): string[] {
  return [
    ...bad.map(({ line, why }) => `line ${line}: ${why}`),
    ...(badRows > bad.length ? [`and ${badRows - bad.length} more`] : []),
    `${badRows} rows are wrong, and nothing of the file was booked`,
  ];
}

/** Writes all members to a file. Exit code 1: a signal came before the end. */
export async function exportFile({ desk, key, json, io }: Called, file: string): Promise<number> {
  const exported = await exportTo(desk, key, file, io.signal);
  if (json) io.out(JSON.stringify(exported, undefined, 2));
  else {
    io.out(`${exported.members} members and ${exported.entries} entries were written to ${file}`);
    for (const { month, points, kopecks } of exported.liability) {
      const end = month === "never" ? "without an end" : `ending in ${month}`;
      io.out(`  ${points} points ${end}, worth ${formatKopecks(kopecks)}`);
    }
    if (exported.debtPoints > 0) io.out(`  debts of members: ${exported.debtPoints} points`);
  }
  if (io.signal.aborted) io.err("A signal came first: not everything was written.");
  return io.signal.aborted ? 1 : 0;
}

/** Issues a gift card. Exit code 1: the account already has a card with this name. Throws `UsageError` for a name that is too long. */
export async function giftCard({ desk, key, json, io }: Called, name: string, kopecks: number): Promise<number> {
  if (name.length > MAX_CARD_NAME) throw new UsageError(`the NAME of a gift card has ${MAX_CARD_NAME} characters at most`);
  const issued = await issueGiftCard(desk, key, { name, kopecks });
  if (json)
    io.out(
      JSON.stringify({ outcome: issued.kind, ...(issued.kind === "issued" ? { id: issued.id, name, amount: kopecks } : {}) }, undefined, 2),
    );
  else if (issued.kind === "issued") io.out(`Gift card ${name} of ${formatKopecks(kopecks)} was issued`);
  else io.err("The account has a gift card of this name");
  return issued.kind === "issued" ? 0 : 1;
}

const MAX_CARD_NAME = 100;
