import { CannotRun, StopRun } from "../exchanges/check-result.ts";

/** Numbers of debug fiscal drives begin with these digits. Their documents are no real receipts. */
const DEBUG_SERIES = "9999";

export type Permission =
  /** The person who started the run is responsible for every document. */
  | { kind: "for-real" }
  /** The run uses the development set. `probe` tests whether the server has it. */
  | { kind: "development-set"; probe(): Promise<{ kind: "proved" } | { kind: "not-proved"; why: string }> }
  /** Credentials of a real catalogue entry. They prove nothing about the drive. */
  | { kind: "own-set" };

/**
 * Decides whether the run may register documents at this server. `for-real`: always. `own-set`: never. `development-set`: under the two
 * conditions below.
 *
 * An answer names the drive only after a document was registered. The first opening of a shift is already a fiscal document, and a broken
 * server may register more. So there are two conditions.
 *
 * Before the first fiscal request: the server has the development set of credentials. Its secret is public, so nobody may use it with a
 * real drive, and this project's server refuses it in production. A server with these credentials was prepared for tests. The server must
 * accept a token made with this secret, and refuse a token made with another secret. Without the refusal, the acceptance proves nothing.
 *
 * From the first answer on: every drive in an answer is of the debug series. Otherwise the run ends.
 *
 * Three alternatives were rejected. An ordinary cash-in names the drive and is no fiscal document, but it changes the drawer of a real
 * shop, and some servers open a shift for it. The installation's status does not reveal the drive. A new header could name the drive, but
 * other servers would not send it.
 */
export class Evidence {
  readonly #permission: Permission;
  readonly #drives = new Set<string>();
  #proof: Promise<void> | undefined;

  constructor(permission: Permission) {
    this.#permission = permission;
  }

  get drives(): readonly string[] {
    return [...this.#drives];
  }

  /** Call it before a request that a server could register. Throws CannotRun when the run may not register documents. */
  demand(): Promise<void> {
    this.#proof ??= this.#prove();
    return this.#proof;
  }

  /** Call it with the drive of each answer. Throws StopRun for a real drive, unless the permission is `for-real`. */
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
