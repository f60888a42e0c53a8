import { type Kysely, sql } from "kysely";
import type { PlatformId } from "../model/operation.ts";
import { type Placeholders, statement } from "../store/statement.ts";
import type { Tables } from "../store/tables.ts";
import { documentsOf, endedAs, firstNumber, newestNumber } from "./newest-queries.ts";
import { linkedShifts } from "./queries.ts";
import { type DeviceShift, isOfAnother, type ShiftOwner } from "./shift-owner.ts";

type Db = Kysely<Tables>;

/**
 * Returns the owner of a shift. No other code decides about the owner. The journal may lack the opening, because the shift was opened at
 * the device, or an older database was restored. Then the owner is the account of the first numbered document, otherwise the account of the
 * first slip for cash. State reports and X reports decide nothing: every account may make them in another account's shift.
 */
export async function shiftOwner(db: Db, shift: DeviceShift): Promise<ShiftOwner> {
  const openers = await openersOf(db, shift.driveNumber, shift.shiftNumber);
  const [first] = openers;
  if (first !== undefined) {
    // If the platform opened the shift too, only the platform may close it.
    const automatic = openers.every(({ operation }) => operation === "auto-open-shift");
    return { kind: "opened", accountId: first.account_id, automatic };
  }
  const found = (await firstDocumentIn(db, shift)) ?? (await firstSlip(db, shift.driveNumber, shift.shiftNumber));
  return found === undefined ? { kind: "nobody" } : { kind: "trades", accountId: found.account_id, entryId: found.entry_id };
}

/**
 * The number of a drive's newest documents that are searched for another account: more than a busy shop makes in two days. The search
 * takes about 4 ms, and only happens in a shift without an owner.
 */
const RECENT_DOCUMENTS = 2_000;

/** Whether another account made one of the drive's newest documents. State reports do not count. */
export async function usedByAnother(db: Db, driveNumber: string, accountId: string): Promise<boolean> {
  const { rows } = await anotherSelect(db, { driveNumber, accountId });
  return rows.length > 0;
}

const anotherSelect = statement((db, { driveNumber, accountId }: Placeholders<{ driveNumber: string; accountId: string }>) => {
  const owner = sql<string>`(select account_id from entries where entries.id = recent.entry_id and operation <> 'state-report')`;
  const recent = documentsOf(db, driveNumber).select("entry_id").orderBy("document_number", "desc");
  return db
    .selectFrom(recent.limit(sql.lit(RECENT_DOCUMENTS)).as("recent"))
    .select(owner.as("account_id"))
    .where(owner, "<>", accountId)
    .limit(1);
});

/** Returns the device shifts linked to the platform's shift, newest first, without the shifts of another account. */
export async function ownShifts(db: Db, accountId: string, driveNumber: string, { idType, id }: PlatformId): Promise<number[]> {
  const linked = await linkedShifts(db, driveNumber, idType, id);
  const owners = await Promise.all(linked.map((shiftNumber) => shiftOwner(db, { driveNumber, shiftNumber })));
  return linked.filter((_, at) => !isOfAnother(owners[at], accountId));
}

/** Returns the shift's first numbered document in the journal. */
async function firstDocumentIn(db: Db, shift: DeviceShift): Promise<EntryOfAccount | undefined> {
  const { driveNumber, shiftNumber, openReportNumber } = shift;
  const from = openReportNumber === undefined ? await firstOfShift(db, shift) : openReportNumber + 1;
  const first = from === undefined ? undefined : await documentFrom(db, driveNumber, from);
  return first?.shift_number === shiftNumber ? first : undefined;
}

/**
 * Returns the lowest number from which all documents belong to this shift or to a later shift. A drive counts documents and shifts upwards
 * (fiscal-receipts 6.1), so the search halves the range: 17 steps for 100,000 documents. Searching backwards would read all documents
 * since an old shift.
 */
async function firstOfShift(db: Db, { driveNumber, shiftNumber }: DeviceShift): Promise<number | undefined> {
  let low = await firstNumber(db, driveNumber);
  const newest = await newestNumber(db, driveNumber);
  if (low === undefined || newest === undefined) return undefined;
  let high = newest + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await documentFrom(db, driveNumber, middle);
    if (found === undefined || found.shift_number >= shiftNumber) high = middle;
    else low = found.document_number + 1;
  }
  return low;
}

/**
 * Returns the openers of a device's shift in order of time: the entry that made the document, then entries that adopted the shift. The
 * platform's opening may follow the server's own opening.
 */
export async function openersOf(db: Db, driveNumber: string, shiftNumber: number): Promise<OpenerRow[]> {
  const { rows } = await openersSelect(db, { driveNumber, shiftNumber });
  return rows;
}

interface OpenerRow {
  account_id: string;
  operation: string;
}

/** The operations are literals, exactly as in the partial index. Otherwise the database would not use the index. */
const openersSelect = statement((db, { driveNumber, shiftNumber }: Placeholders<{ driveNumber: string; shiftNumber: number }>) =>
  db
    .selectFrom("entries")
    .select(["account_id", "operation"])
    .where(sql<boolean>`operation in ('open-shift', 'auto-open-shift')`)
    .where("drive_number", "=", driveNumber)
    .where("shift_number", "=", shiftNumber)
    .where("state", "=", "done")
    .orderBy(endedAs)
    .orderBy("id"),
);

interface EntryOfAccount {
  entry_id: number;
  account_id: string;
}

interface ShiftDocumentRow extends EntryOfAccount {
  document_number: number;
  shift_number: number;
}

/** Returns the drive's first document from this number on. State reports are left out, because they do not show the shift's owner. */
export async function documentFrom(db: Db, driveNumber: string, number: number): Promise<ShiftDocumentRow | undefined> {
  const { rows } = await documentFromSelect(db, { driveNumber, number });
  return rows[0];
}

/** A subquery finds the entries: for a join PostgreSQL would read all entries. */
const documentFromSelect = statement((db, { driveNumber, number }: Placeholders<{ driveNumber: string; number: number }>) => {
  const shift = sql<number>`(select shift_number from entries where entries.id = moves.entry_id and operation <> 'state-report')`;
  return documentsOf(db, driveNumber)
    .select("entry_id")
    .select(sql<number>`document_number`.as("document_number"))
    .select(sql<string>`(select account_id from entries where entries.id = moves.entry_id)`.as("account_id"))
    .select(shift.as("shift_number"))
    .where("document_number", ">=", number)
    .where(shift, "is not", null)
    .orderBy("document_number")
    .limit(1);
});

/** Returns the first slip for cash in the shift. */
export async function firstSlip(db: Db, driveNumber: string, shiftNumber: number): Promise<EntryOfAccount | undefined> {
  const { rows } = await firstSlipSelect(db, { driveNumber, shiftNumber });
  return rows[0];
}

/** The operations are literals, exactly as in the partial index. Otherwise the database would not use the index. */
const firstSlipSelect = statement((db, { driveNumber, shiftNumber }: Placeholders<{ driveNumber: string; shiftNumber: number }>) =>
  db
    .selectFrom("entries")
    .select(["id as entry_id", "account_id"])
    .where(sql<boolean>`operation in ('cash-in', 'cash-out')`)
    .where("drive_number", "=", driveNumber)
    .where("shift_number", "=", shiftNumber)
    .where("state", "=", "done")
    .orderBy(endedAs)
    .orderBy("id")
    .limit(1),
);
