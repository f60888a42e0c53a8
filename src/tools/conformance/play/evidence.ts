import { CannotRun, StopRun } from "../exchanges/finding.ts";

/** Numbers of debug fiscal drives begin so: documents in them are nobody's receipts. */
const DEBUG_SERIES = "9999";

export type Permission =
  /** The person who started the run answers for every document. */
  | { kind: "for-real" }
  /** The development set is used: `probe` tells whether the server really is one that holds it. */
  | { kind: "development-set"; probe(): Promise<{ kind: "proved" } | { kind: "not-proved"; why: string }> }
  /** Credentials of an entry of one's own: they say nothing about the drive. */
  | { kind: "own-set" };

/**
 * Whether anything may be registered at this server.
 *
 * An answer tells the drive's number, but only once something was registered: the first opening of a shift
 * is a fiscal document itself, and so may be whatever a broken server takes for one. So two things are asked.
 *
 * Before the first fiscal request: the server holds the development set of credentials. Its secret is
 * printed in public documentation, so nobody may set it where a real drive stands, and ours refuses to start
 * with it in production; a server that holds it was set up for tests on purpose. Taking a token made with
 * that secret is only evidence when a token made with another secret is refused, which is tried as well.
 *
 * From the first answer on: every drive that shows itself is of the debug series, or the run ends there.
 *
 * What was rejected: an ordinary cash-in tells the drive without a fiscal document, but it moves the drawer
 * of a real shop, and some servers open a shift for it. The installation's status says nothing of the drive.
 * A header of our own invention would not be there on a server that somebody else made.
 */
export class Evidence {
  readonly #permission: Permission;
  readonly #drives = new Set<string>();
  #proof: Promise<void> | undefined;

  constructor(permission: Permission) {
    this.#permission = permission;
  }

  /** Numbers of the drives that answered. */
  get drives(): readonly string[] {
    return [...this.#drives];
  }

  /** Must be called before anything is sent that a server could register. Throws CannotRun without evidence. */
  demand(): Promise<void> {
    this.#proof ??= this.#prove();
    return this.#proof;
  }

  /** To be told of each drive that an answer names. Throws StopRun when it is a real one. */
  see(fnNumber: string): void {
    this.#drives.add(fnNumber);
    if (this.#permission.kind === "for-real" || fnNumber.startsWith(DEBUG_SERIES)) return;
    throw new StopRun(
      `the answer names the fiscal drive ${fnNumber}, which is not of the debug series (${DEBUG_SERIES}…): nothing more is sent to it. ` +
        "If a shift was opened on it just now it is still open: close it at the register. " +
        "Give the server a debug drive or an emulator, or --registers-for-real if real documents are wanted.",
    );
  }

  async #prove(): Promise<void> {
    switch (this.#permission.kind) {
      case "for-real":
        return;
      case "own-set":
        throw new CannotRun(
          "nothing says that this server's drive is a debug one, and the first fiscal request may register a real document. " +
            "Add the development set (appId 00000000-0000-4000-8000-000000000001) to the credentials of a test server and run without --app, " +
            "or give --registers-for-real if you answer for the documents.",
        );
      case "development-set": {
        const proof = await this.#permission.probe();
        if (proof.kind === "not-proved") throw new CannotRun(proof.why);
      }
    }
  }
}
