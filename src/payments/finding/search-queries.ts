import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { InstallationKey } from "../../accounts/installation.ts";
import { present } from "../../kernel/present.ts";
import { fewIds, mostBefore, type Step, type StepEnd } from "../../kernel/work/newest-in-steps.ts";
import type { PaymentRow } from "../../store/payment-tables.ts";
import type { Tables } from "../../store/tables.ts";

type Db = Kysely<Tables>;

/** A place in the order of creation. Payments of the same moment stand in the order of their ids. */
export interface PaymentPlace {
  createdAtMs: number;
  id: string;
}

export interface PaymentFilter {
  appId?: string;
  accountId?: string;
  storeId?: string;
  state?: string;
  /** Only payments that were created at this moment or later, and before `toMs`. */
  fromMs?: number;
  toMs?: number;
  after?: PaymentPlace;
  limit: number;
}

/** Returns the ids of all payments of the account. Undefined: they are too many for one query. */
export function idsOfSmallAccount(db: Db, accountId: string): Promise<string[] | undefined> {
  return fewIds(db.selectFrom("payments").select("id").where("account_id", "=", accountId));
}

/** Returns the payments with these ids that fit the filter, the newest first. */
export async function listAmong(db: Db, ids: readonly string[], { limit, ...filter }: PaymentFilter): Promise<PaymentRow[]> {
  if (ids.length === 0) return [];
  return fitting(db, within(db, filter).where("id", "in", ids).selectAll(), filter)
    .limit(limit)
    .execute();
}

/** Looks for payments of the filter's period in one step, the newest first. */
export async function listStep(
  db: Db,
  { after, ...filter }: PaymentFilter,
  { before = after, rows, limit }: Step<PaymentPlace>,
): Promise<StepEnd<PaymentPlace, PaymentRow>> {
  const period = { ...filter, ...present({ after: before }) };
  const last = await lastOfStep(inOrder(db, period), rows);
  const looked = inOrder(db, { ...period, ...present({ last }) });
  const found = await fitting(db, looked.selectAll().limit(mostBefore(rows)), filter)
    .limit(limit)
    .execute();
  return { found, ...present({ last }) };
}

/** Looks for payments of an operation in one step, the newest first. No index leads to an operation without its account. */
export async function operationStep(
  db: Db,
  operationId: string,
  { before, rows, limit }: Step<PaymentPlace>,
): Promise<StepEnd<PaymentPlace, PaymentRow>> {
  const last = await lastOfStep(inOrder(db, present({ after: before })), rows);
  const looked = inOrder(db, present({ after: before, last }));
  const found = await db
    .selectFrom(looked.selectAll().limit(mostBefore(rows)).as("looked"))
    .selectAll()
    .where("looked.operation_id", "=", operationId)
    .orderBy("looked.created_at_ms", "desc")
    .orderBy("looked.attempt", "desc")
    .limit(limit)
    .execute();
  return { found, ...present({ last }) };
}

/** A place among the payments of an account, in the order of the index `payments_operation`. */
export interface OperationPlace {
  operationId: string;
  attempt: number;
}

/** Looks in one step for the points of sale of an installation's payments. */
export async function storesOfStep(
  db: Db,
  { appId, accountId }: InstallationKey,
  { before, rows }: Step<OperationPlace>,
): Promise<StepEnd<OperationPlace, string>> {
  const all = db.selectFrom("payments").where("account_id", "=", accountId).where("app_id", "=", appId);
  const left = before === undefined ? all : all.where(sql<boolean>`(operation_id, attempt) < (${before.operationId}, ${before.attempt})`);
  const looked = await left
    .select(["operation_id", "attempt", "store_id"])
    .orderBy("operation_id", "desc")
    .orderBy("attempt", "desc")
    .limit(rows)
    .execute();
  const last = looked.length < rows ? undefined : looked.at(-1);
  return {
    found: [...new Set(looked.map((row) => row.store_id))],
    ...present({ last: last && { operationId: last.operation_id, attempt: last.attempt } }),
  };
}

/** Returns the payments with this id, or with this id at their bank, the newest first. */
export async function paymentsWithId(db: Db, id: string, limit: number): Promise<PaymentRow[]> {
  const own = await db.selectFrom("payments").selectAll().where("id", "=", id).execute();
  const ofBank = db.selectFrom("payments").selectAll().where("bank_id", "=", id).where("id", "<>", id);
  return [...own, ...(await ofBank.orderBy("created_at_ms", "desc").orderBy("attempt", "desc").limit(limit).execute())];
}

type InOrder = SelectQueryBuilder<Tables, "payments", object>;

async function lastOfStep(inOrder: InOrder, rows: number): Promise<PaymentPlace | undefined> {
  const last = await inOrder
    .select(["created_at_ms", "id"])
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst();
  return last && { createdAtMs: last.created_at_ms, id: last.id };
}

/** `last`: the last payment of a step, which lies in the period. */
type Bounds = Pick<PaymentFilter, "fromMs" | "toMs" | "after"> & { last?: PaymentPlace };

function inOrder(db: Db, bounds: Bounds): InOrder {
  return within(db, bounds).orderBy("created_at_ms", "desc").orderBy("id");
}

/**
 * The payments of a period after a place, up to the last payment of a step. They stand together in the index `payments_created`. Of two
 * upper or two lower bounds only the tighter bound is a condition: SQLite uses one of each in an index, perhaps the wider bound, and would
 * then read all payments up to the tighter bound in each step.
 */
function within(db: Db, { fromMs, toMs, after, last }: Bounds): InOrder {
  let query: InOrder = db.selectFrom("payments");
  if (last !== undefined)
    query = query
      .where("created_at_ms", ">=", last.createdAtMs)
      .where((row) => row.or([row("created_at_ms", ">", last.createdAtMs), row("id", "<=", last.id)]));
  else if (fromMs !== undefined) query = query.where("created_at_ms", ">=", fromMs);
  if (after !== undefined && (toMs === undefined || after.createdAtMs < toMs)) {
    // Without the first condition, SQLite would walk from the newest payment to the place.
    return query
      .where("created_at_ms", "<=", after.createdAtMs)
      .where((row) => row.or([row("created_at_ms", "<", after.createdAtMs), row("id", ">", after.id)]));
  }
  return toMs === undefined ? query : query.where("created_at_ms", "<", toMs);
}

/**
 * Returns the payments of a step that fit, the newest first. The payments of the step are a subquery with a limit. Without the limit SQLite
 * would read all payments of the account, or all payments until enough fit.
 */
function fitting(
  db: Db,
  looked: SelectQueryBuilder<Tables, "payments", PaymentRow>,
  { appId, accountId, storeId, state }: Pick<PaymentFilter, "appId" | "accountId" | "storeId" | "state">,
) {
  let chosen = db.selectFrom(looked.as("looked")).selectAll();
  if (appId !== undefined) chosen = chosen.where("looked.app_id", "=", appId);
  if (accountId !== undefined) chosen = chosen.where("looked.account_id", "=", accountId);
  if (storeId !== undefined) chosen = chosen.where("looked.store_id", "=", storeId);
  if (state !== undefined) chosen = chosen.where("looked.state", "=", state);
  return chosen.orderBy("looked.created_at_ms", "desc").orderBy("looked.id");
}
