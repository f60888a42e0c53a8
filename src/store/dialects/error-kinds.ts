import { isPostgresBroken, isPostgresTransient } from "./postgres.ts";
import { isSqliteBroken, isSqliteBusy, isSqliteDamaged } from "./sqlite.ts";

/** Whether the SQLite file is damaged, also when the error is the cause of a Failure. */
export function isDamage(thrown: unknown): boolean {
  return isSqliteDamaged(thrown) || (thrown instanceof Error && isSqliteDamaged(thrown.cause));
}

export function isBroken(thrown: unknown): boolean {
  return isSqliteBroken(thrown) || isPostgresBroken(thrown);
}

export function isTransient(thrown: unknown): boolean {
  return isSqliteBusy(thrown) || isPostgresTransient(thrown);
}
