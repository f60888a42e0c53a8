import { spawnSync } from "node:child_process";

/** Runs a program of PostgreSQL until it ends. Throws with its output when it fails. */
export function postgresTool(program: "psql" | "pg_dump" | "pg_restore", ...args: string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (error !== undefined || status !== 0) throw new Error(`${program} ended with ${status}: ${error?.message ?? stderr}`);
}
