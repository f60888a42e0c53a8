import { roubles } from "../../sandbox/basket.ts";
import type { FiscalAnswer } from "../../sandbox/fiscal-answer.ts";
import type { FiscalOperation } from "../../sandbox/fiscal-call.ts";

/** What an operation must do to the register, by our own arithmetic. */
export interface Effect {
  operation: FiscalOperation;
  /** Cash that enters the drawer; negative: leaves it. */
  drawerKopecks: number;
}

/** The device's clock may differ from ours by this much before a drive refuses (fiscal-receipts 6.1). */
const CLOCK_LIMIT_MS = 5 * 60_000;
/** Moscow has had no summer time since 2014. */
const MOSCOW_MS = 3 * 3_600_000;

/** What the shop's own book says should have happened so far; each answer is held against it. */
export class Ledger {
  #drive: { fnNumber: string; kktRegNumber: string } | undefined;
  #lastDocument: number | undefined;
  #lastTime = "";
  #shiftNumber: string | undefined;
  #documents = 0;
  #cheques = 0;
  #drawerKopecks = 0;
  readonly #signs = new Set<string>();

  get drawerKopecks(): number {
    return this.#drawerKopecks;
  }

  /** For the last line of the demo. */
  get summary(): string {
    const last = this.#lastDocument ?? 0;
    const range = `ФД ${last - this.#documents + 1}–${last} without a gap`;
    return `${range}, ${this.#cheques} receipts, drawer ${roubles(this.#drawerKopecks)}`;
  }

  /** Enters a new operation; the text says what is wrong with its answer. */
  enter({ operation, drawerKopecks }: Effect, answer: FiscalAnswer, nowMs: number): string | undefined {
    this.#drawerKopecks += drawerKopecks;
    return (
      this.#sameDrive(answer) ?? this.#inTime(answer.time, nowMs) ?? this.#numbered(operation, answer) ?? this.#counted(operation, answer)
    );
  }

  #sameDrive({ fnNumber, kktRegNumber }: FiscalAnswer): string | undefined {
    this.#drive ??= { fnNumber, kktRegNumber };
    if (!fnNumber.startsWith("9999")) return `fnNumber ${fnNumber} is not a debug drive's`;
    if (fnNumber !== this.#drive.fnNumber) return `fnNumber changed from ${this.#drive.fnNumber} to ${fnNumber}`;
    if (kktRegNumber !== this.#drive.kktRegNumber) return `kktRegNumber changed from ${this.#drive.kktRegNumber} to ${kktRegNumber}`;
    return undefined;
  }

  #inTime(time: string, nowMs: number): string | undefined {
    const offMs = Math.abs(Date.parse(`${time.replace(" ", "T")}Z`) - MOSCOW_MS - nowMs);
    if (!(offMs <= CLOCK_LIMIT_MS)) return `time ${time} is not now in Moscow`;
    if (time < this.#lastTime) return `time ${time} is before ${this.#lastTime}`;
    this.#lastTime = time;
    return undefined;
  }

  /** Fiscal documents take one number after the other; cash slips take none (interface 5). */
  #numbered(operation: FiscalOperation, { fiscalDocNumber, fiscalDocSign }: FiscalAnswer): string | undefined {
    if (operation === "retaildrawercashin" || operation === "retaildrawercashout") {
      return fiscalDocNumber === "0" && fiscalDocSign === "0"
        ? undefined
        : `a cash slip answered ФД ${fiscalDocNumber}, ФП ${fiscalDocSign}`;
    }
    const number = Number(fiscalDocNumber);
    const expected = this.#lastDocument === undefined ? number : this.#lastDocument + 1;
    if (number === 0 || number !== expected) return `ФД ${fiscalDocNumber} where ${expected} is due: a document was lost or doubled`;
    if (this.#signs.has(fiscalDocSign)) return `ФП ${fiscalDocSign} was answered before`;
    this.#signs.add(fiscalDocSign);
    this.#lastDocument = number;
    this.#documents += 1;
    if (operation === "retaildemand" || operation === "retaisalesreturn") this.#cheques += 1;
    return undefined;
  }

  #counted(operation: FiscalOperation, { shiftNumber, chequesTotal, fiscalDocsTotal }: FiscalAnswer): string | undefined {
    if (operation === "openshift") this.#shiftNumber = shiftNumber;
    if (operation !== "closeshift") return undefined;
    if (shiftNumber !== this.#shiftNumber) return `shift ${this.#shiftNumber} was opened and ${shiftNumber} closed`;
    if (chequesTotal !== this.#cheques) return `chequesTotal ${chequesTotal} where ${this.#cheques} receipts were made`;
    if (fiscalDocsTotal !== this.#documents) return `fiscalDocsTotal ${fiscalDocsTotal} where ${this.#documents} documents were made`;
    return undefined;
  }
}

/** What the wall in a Moscow shop shows. */
export function moscowTime(nowMs: number): string {
  return new Date(nowMs + MOSCOW_MS).toISOString().slice(0, 19).replace("T", " ");
}
