import { present } from "../kernel/present.ts";
import type { AlertRow } from "../store/alert-tables.ts";
import { type RowPlace, wordIn } from "../store/columns.ts";
import { ALERT_STATES, type AlertPlace, type Audience, type Condition } from "./condition.ts";
import type { AlertStanding } from "./decision.ts";

/** Returns the standing in a row. Throws `alert-unreadable` for an unknown value. */
export function standingOf(row: AlertRow): AlertStanding {
  const place: RowPlace = { failure: "alert-unreadable", table: "alerts", row: `${row.audience}/${row.kind}/${row.subject}` };
  const { told, owed, begins_told_at_ms, ends_told_at_ms, owed_since_ms, next_try_at_ms, problem } = row;
  return {
    stands: row.stands === 1,
    changedAtMs: row.changed_at_ms,
    seenAtMs: row.seen_at_ms,
    attempts: row.attempts,
    ...present({
      told: told === null ? undefined : wordIn(place, "told", told, ALERT_STATES),
      owed: owed === null ? undefined : wordIn(place, "owed", owed, ALERT_STATES),
      beginsToldAtMs: begins_told_at_ms ?? undefined,
      endsToldAtMs: ends_told_at_ms ?? undefined,
      owedSinceMs: owed_since_ms ?? undefined,
      nextTryAtMs: next_try_at_ms ?? undefined,
      problem: problem ?? undefined,
    }),
  };
}

export function withStanding(row: AlertRow, standing: AlertStanding): AlertRow {
  return { ...row, ...columnsOf(standing) };
}

export function newRow(
  { kind, subject, place, register }: Condition,
  { audience, texts, standing }: { audience: Audience; texts: { begins: string; ends: string }; standing: AlertStanding },
): AlertRow {
  return {
    audience,
    kind,
    subject,
    app_id: place?.appId ?? null,
    account_id: place?.accountId ?? null,
    store_id: place?.storeId ?? null,
    register: register ?? null,
    begins_text: texts.begins,
    ends_text: texts.ends,
    version: 1,
    ...columnsOf(standing),
  };
}

export function placeOf({ app_id, account_id, store_id }: AlertRow): AlertPlace | undefined {
  if (app_id === null || account_id === null || store_id === null) return undefined;
  return { appId: app_id, accountId: account_id, storeId: store_id };
}

function columnsOf(standing: AlertStanding) {
  return {
    stands: standing.stands ? (1 as const) : (0 as const),
    seen_at_ms: standing.seenAtMs,
    changed_at_ms: standing.changedAtMs,
    told: standing.told ?? null,
    begins_told_at_ms: standing.beginsToldAtMs ?? null,
    ends_told_at_ms: standing.endsToldAtMs ?? null,
    owed: standing.owed ?? null,
    owed_since_ms: standing.owedSinceMs ?? null,
    attempts: standing.attempts,
    next_try_at_ms: standing.nextTryAtMs ?? null,
    problem: standing.problem ?? null,
  };
}
