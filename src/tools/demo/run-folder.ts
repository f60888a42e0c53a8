import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure, messageOf } from "../../kernel/failure.ts";
import { makeFolder } from "../../kernel/folder.ts";

/** A program that was just killed may still finish its last write, so a failed removal is tried again. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 20 } as const;

/**
 * The data folder of a run. A folder that the user named stays. A temporary folder is removed by `remove`, or when the process exits,
 * because a second signal ends the process without `remove`. After `leave` a temporary folder stays, too.
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

/** Makes the folder before any program starts, so that a wrong folder is reported first. */
function made(folder: string): string {
  try {
    makeFolder(folder);
    return folder;
  } catch (error) {
    throw new Failure("demo", "dependency", `--data: ${messageOf(error)}`, { cause: error });
  }
}
