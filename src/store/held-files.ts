import { lstatSync, type Stats, statSync } from "node:fs";
import type { Failure } from "../kernel/failure.ts";
import { messageOf } from "../kernel/failure.ts";
import { storeFailure } from "./failures.ts";

const WHAT_TO_DO =
  "nothing more is registered. Stop whatever moves or writes it, put everything back as it was or restore the newest copy, and start the server again";

type Identity = Pick<Stats, "dev" | "ino">;

/** What a name leads to, and what stands under it: another one where it is a symbolic link. */
interface Held {
  named: Identity;
  /** Only of a link: looking at it costs as much again. */
  target?: Identity;
}

/**
 * What a server has open, by name. A file that was removed, renamed or replaced under it goes on taking commits that
 * nobody will find again, and a second server finds the new one free: so names are compared with what was opened,
 * device and inode, before anything is promised. One look at a file takes a microsecond or two.
 */
export class HeldFiles {
  readonly #files = new Map<string, Held>();
  readonly #onGone: (reason: string) => void;
  #gone: Failure | undefined;

  /** `onGone` is called once, with the reason in words, when something is found to be gone. */
  constructor(onGone: (reason: string) => void = () => {}) {
    this.#onGone = onGone;
  }

  /** Something was found to be gone: nothing that is held is written to any more, but for what has happened already. */
  get isGone(): boolean {
    return this.#gone !== undefined;
  }

  /** From now on the name has to lead to the file that it leads to now. One that is not there is not held. */
  hold(path: string): void {
    const named = lstatSync(path, { throwIfNoEntry: false });
    const target = statSync(path, { throwIfNoEntry: false });
    if (named === undefined || target === undefined) return;
    this.#files.set(path, { named: identityOf(named), ...(named.isSymbolicLink() ? { target: identityOf(target) } : {}) });
  }

  /** Throws `database-gone` when something is not where it was, for ever from then on. */
  mustBeInPlace(): void {
    if (this.#gone !== undefined) throw this.#gone;
    for (const [path, held] of this.#files) {
      const problem = problemOf(path, held);
      if (problem !== undefined) throw this.giveUp(`${path} ${problem}`);
    }
  }

  /** The same for what is no file, or is another one under the same name. */
  giveUp(what: string): Failure {
    if (this.#gone !== undefined) return this.#gone;
    const reason = `${what} under the running server: ${WHAT_TO_DO}`;
    this.#gone = storeFailure("database-gone", "dependency", reason, { retrySafe: true });
    this.#onGone(reason);
    return this.#gone;
  }
}

function problemOf(path: string, { named, target }: Held): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return "was removed or renamed";
    if (!same(found, named)) return `was replaced by ${kindOf(found)}`;
    if (target === undefined) return undefined;
    const led = statSync(path, { throwIfNoEntry: false });
    return led !== undefined && same(led, target) ? undefined : "leads to another file now";
  } catch (error) {
    // What was a folder on the way is a file now.
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return "was removed or renamed";
    return `can no longer be looked at (${messageOf(error)})`;
  }
}

function identityOf({ dev, ino }: Stats): Identity {
  return { dev, ino };
}

function same(one: Identity, other: Identity): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

function kindOf(found: Stats): string {
  return found.isDirectory() ? "a folder" : found.isSymbolicLink() ? "a link" : "another file";
}
