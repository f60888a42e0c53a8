import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure, messageOf } from "../../kernel/failure.ts";
import { makeFolder } from "../../kernel/folder.ts";

/** A program that was killed a moment ago may be in the middle of its last write. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 20 } as const;

/**
 * The data folder of a run. One that somebody named stays; one of the demo's own goes however the run ends, at the
 * latest with the process: a second signal ends that at once.
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

  /** The server goes on in it. */
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

/** One that cannot be had is known before anything is started. */
function made(folder: string): string {
  try {
    makeFolder(folder);
    return folder;
  } catch (error) {
    throw new Failure("demo", "dependency", `--data: ${messageOf(error)}`, { cause: error });
  }
}
