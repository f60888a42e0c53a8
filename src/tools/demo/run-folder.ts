import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure, messageOf } from "../../kernel/failure.ts";
import { makeFolder } from "../../kernel/folder.ts";

/** A just killed program may still finish its last write, so a failed removal is tried again. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 20 } as const;

/**
 * The data folder of a run. A folder that the user named stays. A temporary folder is removed when the process exits at the latest, because
 * a second signal ends the process immediately. After `leave` it stays.
 */
export class RunFolder {
  readonly path: string;
  readonly isOwn: boolean;
  readonly #atExit = () => this.#erase();

  constructor(named: string | undefined) {
    this.isOwn = named === undefined;
    this.path = named === undefined ? mkdtempSync(join(tmpdir(), "fiscal-demo-")) : made(named);
    if (this.isOwn) process.once("exit", this.#atExit);
  }

  leave(): void {
    process.off("exit", this.#atExit);
  }

  remove(): void {
    process.off("exit", this.#atExit);
    if (this.isOwn) this.#erase();
  }

  #erase(): void {
    rmSync(this.path, REMOVAL);
  }
}

/** Makes the folder before any program starts, so that a failure appears first. */
function made(folder: string): string {
  try {
    makeFolder(folder);
    return folder;
  } catch (error) {
    throw new Failure("demo", "dependency", `--data: ${messageOf(error)}`, { cause: error });
  }
}
