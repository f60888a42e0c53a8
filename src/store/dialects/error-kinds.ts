import type { Failure } from "../../kernel/failure.ts";
import { asStoreFailure } from "../failures.ts";
import { isPostgresBroken, isPostgresTransient } from "./postgres.ts";
import { damagedFile, isSqliteBroken, isSqliteBusy, isSqliteDamaged } from "./sqlite.ts";

/** As `asStoreFailure`, for a start or a command. For a damaged SQLite file, the failure's text says what a person can do. */
export function failureWithAdvice(thrown: unknown, place: string, retrySafe: boolean): Failure {
  return isSqliteDamaged(thrown) ? damagedFile(place, thrown) : asStoreFailure(thrown, retrySafe);
}

export function isBroken(thrown: unknown): boolean {
  return isSqliteBroken(thrown) || isPostgresBroken(thrown);
}

export function isTransient(thrown: unknown): boolean {
  return isSqliteBusy(thrown) || isPostgresTransient(thrown);
}
