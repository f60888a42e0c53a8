import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** For this user alone: buyers' contacts lie in what we keep. */
const OURS_ALONE = 0o700;

/**
 * Makes the folder and those above it, where they are not there, and sees that files can be made in it. Throws an
 * Error with one line that names it. Step by step, since Node's own recursive making spins for ever below /proc.
 */
export function makeFolder(folder: string, mode: number = OURS_ALONE): void {
  const path = resolve(folder);
  makeStep(path, mode);
  accessSync(path, constants.W_OK | constants.X_OK);
}

function makeStep(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  if (found !== undefined) throw new Error(`${path} is no folder`);
  const above = dirname(path);
  if (above !== path) makeStep(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else makes the same one at this moment.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST" && statSync(path).isDirectory())) throw error;
  }
}
