import { type Stats, statSync } from "node:fs";
import type { Failure } from "../kernel/failure.ts";
import { messageOf } from "../kernel/failure.ts";
import { storeFailure } from "./failures.ts";

const WHAT_TO_DO =
  "nothing more is registered. Stop whatever moves it, put everything back as it was or restore the newest copy, and start the server again";

/**
 * What a server has open, by name. A file that was removed, renamed or replaced under it goes on taking commits that
 * nobody will find again, and a second server finds the new one free: so names are compared with what was opened,
 * device and inode, before anything is promised. One look at a file takes a microsecond or two.
 */
export class HeldFiles {
  readonly #files = new Map<string, Pick<Stats, "dev" | "ino">>();
  readonly #onGone: (reason: string) => void;
  #gone: Failure | undefined;

  /** `onGone` is called once, with the reason in words, when something is found to be gone. */
  constructor(onGone: (reason: string) => void = () => {}) {
    this.#onGone = onGone;
  }

  /** From now on the name has to lead to the file that it leads to now. One that is not there is not held. */
  hold(path: string): void {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined) this.#files.set(path, { dev: found.dev, ino: found.ino });
  }

  /** Throws `database-gone` when something is not where it was, for ever from then on. */
  mustBeInPlace(): void {
    if (this.#gone !== undefined) throw this.#gone;
    for (const [path, held] of this.#files) {
      const problem = problemOf(path, held);
      if (problem !== undefined) throw this.giveUp(`${path} ${problem}`);
    }
  }

  /** The same for what is no file. */
  giveUp(what: string): Failure {
    if (this.#gone !== undefined) return this.#gone;
    const reason = `${what} under the running server: ${WHAT_TO_DO}`;
    this.#gone = storeFailure("database-gone", "dependency", reason, { retrySafe: true });
    this.#onGone(reason);
    return this.#gone;
  }
}

function problemOf(path: string, held: Pick<Stats, "dev" | "ino">): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return "was removed or renamed";
    return found.ino === held.ino && found.dev === held.dev ? undefined : "was replaced by another file";
  } catch (error) {
    return `can no longer be looked at (${messageOf(error)})`;
  }
}
