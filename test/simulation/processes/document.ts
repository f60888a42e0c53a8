import type { Call, Exchange } from "../../../src/tools/sandbox/caller/call.ts";
import { type FiscalAnswer, readErrors, readFiscalAnswer } from "../../../src/tools/sandbox/caller/fiscal-answer.ts";
import type { FiscalOperation } from "../../../src/tools/sandbox/caller/fiscal-operation.ts";

/** The server has broken a promise. */
export class BrokenPromise extends Error {}

export interface Version {
  call: Call;
  sumKopecks: number;
  /** The platform's shift that the document names. */
  shiftId: string;
}

/** What a till does after an answer other than success. */
export type Reaction =
  | "done"
  /** The outcome is unknown, or nothing was registered for a reason that passes. */
  | "send-again"
  /** The server has the document with another body. */
  | "send-other-version"
  /** The shift that the document names is not open. */
  | "take-new-shift"
  /** Nothing was registered, as it should be. */
  | "give-up";

const CONTENT_DIFFERS = 50002;
const CASH_SHORT = 51011;
/** The codes for: running, in doubt, refused by the device, not reachable. */
const PASSING = [50003, 50004, 50020, 50030];
/** The codes for: the shift is not open, another shift is open. */
const SHIFT = [51001, 50010];

/** One document of the platform, with every version that was sent, and the answers. */
export class PlatformDocument {
  readonly id: string;
  readonly operation: FiscalOperation;
  readonly versions: Version[] = [];
  #answered: { version: Version; body: Buffer; answer: FiscalAnswer } | undefined;

  constructor(id: string, operation: FiscalOperation) {
    this.id = id;
    this.operation = operation;
  }

  /** The success that was answered, and its version. */
  get answered(): { version: Version; answer: FiscalAnswer } | undefined {
    return this.#answered;
  }

  get title(): string {
    return `${this.operation} ${this.id}`;
  }

  /** Takes note of an answer. Throws `BrokenPromise` when the answer contradicts an earlier one, or is not allowed at all. */
  note(version: Version, exchange: Exchange): Reaction {
    if (exchange.kind === "no-answer") return "send-again";
    const { status, body } = exchange;
    if (status === 200) return this.#keep(version, body);
    const [error] = readErrors(body);
    if (error?.code === CONTENT_DIFFERS)
      return this.#answered?.version === version ? this.#broken("50002 after success") : "send-other-version";
    // A success stays for ever. Only a server that is starting, or waits for its register, may answer otherwise for a
    // time.
    if (this.#answered?.version === version && error?.code !== 50003) {
      return this.#broken(`${status} ${error?.code} after success: ${error?.message}`);
    }
    if (error !== undefined && PASSING.includes(error.code)) return "send-again";
    const isShift = this.operation === "openshift" || this.operation === "closeshift";
    if (error !== undefined && SHIFT.includes(error.code) && !isShift) return "take-new-shift";
    if (error?.code === CASH_SHORT && this.operation === "retaildrawercashout") return "give-up";
    return this.#broken(`${status} ${body.toString("utf8").slice(0, 300)}`);
  }

  #keep(version: Version, body: Buffer): Reaction {
    const read = readFiscalAnswer(this.operation, body);
    if (read.kind === "wrong") return this.#broken(`success, but ${read.problem}`);
    if (this.#answered !== undefined && this.#answered.version !== version) return this.#broken("success in two versions");
    if (this.#answered !== undefined && !this.#answered.body.equals(body)) return this.#broken("a repeat with other bytes");
    this.#answered ??= { version, body, answer: read.answer };
    return "done";
  }

  #broken(what: string): never {
    throw new BrokenPromise(`${this.title} was answered ${what}`);
  }
}
