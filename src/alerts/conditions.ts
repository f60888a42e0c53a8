import type { Journal } from "../journal/journal.ts";
import { BY_COMMAND, type EntryHead } from "../journal/reading/head.ts";
import { needsPerson } from "../journal/responsibility.ts";
import type { Clock } from "../kernel/clock.ts";
import { present } from "../kernel/present.ts";
import { concernsOf, type Reserves } from "../model/concerns.ts";
import { lateMoney, toldUnsold, unclearPayments } from "../payments/attention-queries.ts";
import type { Store } from "../store/database.ts";
import type { PaymentRow } from "../store/payment-tables.ts";
import type { AlertKind, AlertPlace, Condition, Findings } from "./condition.ts";

/** The maximum number of conditions of one kind in a check. With so many a person must look at the list anyway. */
export const MAX_OF_KIND = 100;
/** The number of the third bound in `KEY_DAYS`: the drive's keys end within 3 days. `concernsOf` numbers the bounds from 1. */
const THREE_DAYS_BOUND = 3;
/** If the creation of a payment got no answer, the server itself finds out within this time whether the payment exists. */
const LOST_MS = 15 * 60_000;

/** The sources of the conditions. None asks a register or a bank. */
export interface ConditionSources {
  store: Pick<Store, "read">;
  journal: Pick<Journal, "lastDone"> & { heads: Pick<Journal["heads"], "unfinished"> };
  /** The registers with their last read values. A register that was not read since the start is absent. */
  registers(): readonly { register: string; reserves: Reserves }[];
  clock: Pick<Clock, "nowMs">;
}

/** Finds conditions that hold now, up to a limit, from what the server already knows. */
export async function findConditions(sources: ConditionSources): Promise<Findings> {
  const ofOperations = await operationConditions(sources);
  const ofRegisters = await registerConditions(sources);
  const ofPayments = await paymentConditions(sources);
  const listed = [...ofOperations, ...ofPayments];
  // A full list may be incomplete, so a condition that is missing in it may still hold.
  const full = new Set(listed.filter(({ conditions }) => conditions.length >= MAX_OF_KIND).map(({ kind }) => kind));
  return {
    standing: [...listed.flatMap(({ conditions }) => conditions), ...ofRegisters.standing],
    canTell: (kind, subject) => (isOfRegister(kind) ? ofRegisters.known.has(keyOf(kind, subject)) : !full.has(kind)),
  };
}

interface Listed {
  kind: AlertKind;
  conditions: Condition[];
}

async function operationConditions({ journal, clock }: ConditionSources): Promise<Listed[]> {
  const nowMs = clock.nowMs();
  const unfinished = await journal.heads.unfinished();
  const waiting = unfinished.filter((entry) => needsPerson(entry, nowMs));
  const doubts = waiting.filter(({ state }) => state === "in-doubt").slice(0, MAX_OF_KIND);
  const oldest = new Map<string, EntryHead>();
  for (const entry of waiting) if (!oldest.has(entry.register)) oldest.set(entry.register, entry);
  const counts = new Map<string, number>();
  for (const { register } of unfinished) counts.set(register, (counts.get(register) ?? 0) + 1);
  const lanes = [...oldest].slice(0, MAX_OF_KIND).map(
    ([register, entry]): Condition => ({
      kind: "lane-stopped",
      subject: register,
      register,
      place: placeOf(entry),
      details: { about: "lane", waiting: counts.get(register) ?? 0 },
    }),
  );
  return [
    { kind: "doubt", conditions: doubts.map(doubtOf) },
    { kind: "lane-stopped", conditions: lanes },
  ];
}

function doubtOf(entry: EntryHead): Condition {
  const { id, register, name = BY_COMMAND } = entry;
  return {
    kind: "doubt",
    subject: String(id),
    register,
    place: placeOf(entry),
    details: { about: "operation", id, name },
  };
}

function placeOf({ key, storeId }: Pick<EntryHead, "key" | "storeId">): AlertPlace {
  return { appId: key.appId, accountId: key.accountId, storeId };
}

/**
 * `known`: the conditions that are known to hold or not to hold. If too many conditions hold, some registers' conditions are missing in
 * both results.
 */
async function registerConditions({ journal, registers }: ConditionSources): Promise<{ standing: Condition[]; known: Set<string> }> {
  const known = new Set<string>();
  const standing: Condition[] = [];
  for (const { register, reserves } of registers()) {
    const found = concernConditions(register, reserves);
    if (standing.length + found.length > MAX_OF_REGISTERS) continue;
    for (const kind of knownKinds(reserves)) known.add(keyOf(kind, register));
    if (found.length === 0) continue;
    const newest = await journal.lastDone(register);
    const place = newest === undefined ? undefined : placeOf({ key: newest.key, storeId: newest.operation.storeId });
    standing.push(...found.map((condition) => ({ ...condition, ...present({ place }) })));
  }
  return { standing, known };
}

/** The kinds of conditions that these reserves decide. */
function knownKinds({ keyDays, keysExpireSoon, keysExpireNow, queueDays, operatorTimeout }: Reserves): AlertKind[] {
  const ofKeys = keyDays !== undefined || (keysExpireSoon !== undefined && keysExpireNow !== undefined);
  const ofQueue = queueDays !== undefined || operatorTimeout !== undefined;
  return [...(ofKeys ? (["drive-30-days", "drive-3-days"] as const) : []), ...(ofQueue ? (["operator-queue"] as const) : [])];
}

function concernConditions(register: string, reserves: Reserves): Condition[] {
  const { keyDays, queueDays, unsent } = reserves;
  const daysLeft = keyDays === undefined ? undefined : Math.max(0, Math.floor(keyDays));
  const days = queueDays === undefined ? undefined : Math.floor(queueDays);
  return concernsOf(reserves).flatMap(({ about, bound }): Condition[] => {
    const of = { subject: register, register };
    const drive = { ...of, details: { about: "drive", ...present({ daysLeft }) } } as const;
    if (about === "queue") return [{ ...of, kind: "operator-queue", details: { about: "queue", ...present({ days, unsent }) } }];
    if (about !== "drive-keys") return [];
    const isUrgent = bound >= THREE_DAYS_BOUND;
    return [{ ...drive, kind: "drive-30-days" }, ...(isUrgent ? [{ ...drive, kind: "drive-3-days" as const }] : [])];
  });
}

const REGISTER_KINDS: readonly AlertKind[] = ["drive-30-days", "drive-3-days", "operator-queue"];
const MAX_OF_REGISTERS = MAX_OF_KIND * REGISTER_KINDS.length;

function isOfRegister(kind: AlertKind): boolean {
  return REGISTER_KINDS.includes(kind);
}

async function paymentConditions({ store, clock }: ConditionSources): Promise<Listed[]> {
  const late = await store.read((db) => lateMoney(db, MAX_OF_KIND));
  const unsold = await store.read((db) => toldUnsold(db, MAX_OF_KIND));
  // The query itself leaves out payments whose creation got no answer less than `LOST_MS` ago. Filtering here would make a full list
  // shorter than `MAX_OF_KIND`, and the list would look complete.
  const unclear = await store.read((db) => unclearPayments(db, MAX_OF_KIND, { lostAfterMs: clock.nowMs() - LOST_MS }));
  return [
    { kind: "late-money", conditions: late.map((row) => paymentCondition("late-money", row, row.late_kopecks ?? row.amount_kopecks)) },
    { kind: "paid-without-receipt", conditions: unsold.map((row) => paymentCondition("paid-without-receipt", row, row.amount_kopecks)) },
    { kind: "payment-doubt", conditions: unclear.map((row) => paymentCondition("payment-doubt", row, row.amount_kopecks)) },
  ];
}

function paymentCondition(kind: AlertKind, row: PaymentRow, amountKopecks: number): Condition {
  const place = { appId: row.app_id, accountId: row.account_id, storeId: row.store_id };
  return { kind, subject: row.id, place, details: { about: "payment", id: row.id, amountKopecks } };
}

function keyOf(kind: AlertKind, subject: string): string {
  return `${kind} ${subject}`;
}
