import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** For this user alone: buyers' contacts lie in what we keep. */
const OURS_ALONE = 0o700;

/**
 * Makes the folder and those above it, where they are not there. Throws what the file system says. Step by step,
 * since Node's own recursive making spins for ever below /proc.
 */
export function makeFolder(folder: string, mode: number = OURS_ALONE): void {
  const path = resolve(folder);
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else makes the same one at this moment.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
