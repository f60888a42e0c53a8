import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** The rights of a folder for this user only. The server's folders contain contacts of buyers. */
const ONLY_THIS_USER = 0o700;

/**
 * Makes the folder and its missing parents with the rights `mode`, and checks that this process may make files in the folder. Existing
 * folders keep their rights. Throws an Error that names the wrong folder in one line. Each parent needs its own call of `mkdir`, because
 * Node's recursive `mkdir` never ends below /proc.
 */
export function makeFolder(folder: string, mode: number = ONLY_THIS_USER): void {
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
    // Another process may have made the same folder since the check above. This is no error.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST" && statSync(path).isDirectory())) throw error;
  }
}
