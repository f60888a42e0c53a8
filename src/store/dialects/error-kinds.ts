import type { Failure } from "../../kernel/failure.ts";
import { asStoreFailure } from "../failures.ts";
import { isPostgresBroken, isPostgresTransient } from "./postgres.ts";
import { damagedFile, isSqliteBroken, isSqliteBusy, isSqliteDamaged } from "./sqlite.ts";

/** As `asStoreFailure`, for a start or a command. For a damaged SQLite file, the failure's text says what a person can do. */
export function failureWithAdvice(thrown: unknown, place: string, retrySafe: boolean): Failure {
  return isSqliteDamaged(thrown) ? damagedFile(place, thrown) : asStoreFailure(thrown, retrySafe);
}

/** Whether files of the database are damaged, or cannot be read. All later statements are unreliable. */
export function isBroken(thrown: unknown): boolean {
  return isSqliteBroken(thrown) || isPostgresBroken(thrown);
}

/** Whether the error is temporary, so that another try may succeed. The failed statement may or may not have had its effect. */
export function isTransient(thrown: unknown): boolean {
  return isSqliteBusy(thrown) || isPostgresTransient(thrown);
}
