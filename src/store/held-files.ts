import { lstatSync, type Stats, statSync } from "node:fs";
import type { Failure } from "../kernel/failure.ts";
import { messageOf } from "../kernel/failure.ts";
import { storeFailure } from "./failures.ts";

const WHAT_TO_DO =
  "nothing more is registered. Stop whatever moves or writes it, put everything back as it was or restore the newest copy, and start the server again";

type Identity = Pick<Stats, "dev" | "ino">;

/** The file behind a name. `named`: the file itself, or the symbolic link. */
interface Held {
  named: Identity;
  /** Set only for a symbolic link, because checking the link's target doubles the time of a check. */
  target?: Identity;
}

/**
 * The files that a server has open, by name. A removed, renamed or replaced file still accepts commits that nobody will find, and a second
 * server could lock the new file. So before each commit, the file behind each name (device and inode) is compared with the opened file. A
 * check takes one or two microseconds.
 */
export class HeldFiles {
  readonly #files = new Map<string, Held>();
  readonly #onGone: (reason: string) => void;
  #gone: Failure | undefined;

  /** Calls `onGone` once, with the reason in words. */
  constructor(onGone: (reason: string) => void = () => {}) {
    this.#onGone = onGone;
  }

  /** True once a file was gone or `giveUp` was called. From then on only outcomes that have already happened are written. */
  get isGone(): boolean {
    return this.#gone !== undefined;
  }

  /** From now on the name must refer to the same file. A missing file is not checked. */
  hold(path: string): void {
    const named = lstatSync(path, { throwIfNoEntry: false });
    const target = statSync(path, { throwIfNoEntry: false });
    if (named === undefined || target === undefined) return;
    this.#files.set(path, { named: identityOf(named), ...(named.isSymbolicLink() ? { target: identityOf(target) } : {}) });
  }

  /** Throws `database-gone` for a missing or replaced file, and from then on every time. */
  mustBeInPlace(): void {
    if (this.#gone !== undefined) throw this.#gone;
    for (const [path, held] of this.#files) {
      const problem = problemOf(path, held);
      if (problem !== undefined) throw this.giveUp(`${path} ${problem}`);
    }
  }

  /** Declares the database gone for another reason: a file was overwritten in place, or something other than a file was lost. */
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
    // A folder in the path was replaced by a file.
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
