import { isDebugDrive } from "../../model/facts.ts";
import { roubles } from "../sandbox/caller/basket.ts";
import type { FiscalAnswer } from "../sandbox/caller/fiscal-answer.ts";
import type { FiscalOperation } from "../sandbox/caller/fiscal-operation.ts";

export interface Effect {
  operation: FiscalOperation;
  /** Cash put into the drawer. Negative: taken out. */
  drawerKopecks: number;
}

/** A drive refuses documents when the clocks of device and server differ by more than this (fiscal-receipts 6.1). */
const CLOCK_LIMIT_MS = 5 * 60_000;
/** Moscow has had no summer time since 2014. */
const MOSCOW_MS = 3 * 3_600_000;

interface Shift {
  number: string | undefined;
  documents: number;
  cheques: number;
}

/** The expected state of the register so far. Each answer is checked against it. */
export class Ledger {
  /** True: the register belongs to the demo. Its shift has no earlier documents, and its clock shows the shop's time. */
  readonly #ownRegister: boolean;
  #drive: { fnNumber: string; kktRegNumber: string } | undefined;
  #lastDocument: number | undefined;
  #lastTime = "";
  #shift: Shift = { number: undefined, documents: 0, cheques: 0 };
  #documents = 0;
  #cheques = 0;
  #drawerKopecks = 0;
  readonly #signs = new Set<string>();

  constructor({ ownRegister }: { ownRegister: boolean } = { ownRegister: true }) {
    this.#ownRegister = ownRegister;
  }

  get drawerKopecks(): number {
    return this.#drawerKopecks;
  }

  /** Undefined: the number is not known yet. */
  get lastDocument(): number | undefined {
    return this.#lastDocument;
  }

  get summary(): string {
    const last = this.#lastDocument ?? 0;
    const range = `ФД ${last - this.#documents + 1}–${last} without a gap`;
    return `${range}, ${this.#cheques} receipts, drawer ${roubles(this.#drawerKopecks)}`;
  }

  /**
   * Records a new operation. Returns what is wrong with its answer. Undefined: nothing is wrong. `nowMs`: the present time, by the
   * register's clock if the demo can read it.
   */
  enter({ operation, drawerKopecks }: Effect, answer: FiscalAnswer, nowMs: number): string | undefined {
    this.#drawerKopecks += drawerKopecks;
    return (
      this.#sameDrive(answer) ?? this.#inTime(answer.time, nowMs) ?? this.#numbered(operation, answer) ?? this.#counted(operation, answer)
    );
  }

  #sameDrive({ fnNumber, kktRegNumber }: FiscalAnswer): string | undefined {
    this.#drive ??= { fnNumber, kktRegNumber };
    if (!isDebugDrive(fnNumber)) return `fnNumber ${fnNumber} is not a debug drive's`;
    if (fnNumber !== this.#drive.fnNumber) return `fnNumber changed from ${this.#drive.fnNumber} to ${fnNumber}`;
    if (kktRegNumber !== this.#drive.kktRegNumber) return `kktRegNumber changed from ${this.#drive.kktRegNumber} to ${kktRegNumber}`;
    return undefined;
  }

  #inTime(time: string, nowMs: number): string | undefined {
    if (!this.#ownRegister) return undefined;
    const offMs = Math.abs(Date.parse(`${time.replace(" ", "T")}Z`) - MOSCOW_MS - nowMs);
    return offMs <= CLOCK_LIMIT_MS ? undefined : `time ${time} is not now in Moscow`;
  }

  /**
   * Checks that fiscal documents have consecutive numbers, different signs, and times that do not go back. Cash slips have the number 0 and
   * the sign 0 (interface 5).
   */
  #numbered(operation: FiscalOperation, { fiscalDocNumber, fiscalDocSign, time }: FiscalAnswer): string | undefined {
    if (operation === "retaildrawercashin" || operation === "retaildrawercashout") {
      return fiscalDocNumber === "0" && fiscalDocSign === "0"
        ? undefined
        : `a cash slip answered ФД ${fiscalDocNumber}, ФП ${fiscalDocSign}`;
    }
    const number = Number(fiscalDocNumber);
    const expected = this.#lastDocument === undefined ? number : this.#lastDocument + 1;
    if (number === 0 || number !== expected) return `ФД ${fiscalDocNumber} where ${expected} is due: a document was lost or doubled`;
    if (this.#signs.has(fiscalDocSign)) return `ФП ${fiscalDocSign} was answered before`;
    if (minute(time) < minute(this.#lastTime)) return `time ${time} is before ${this.#lastTime}`;
    this.#signs.add(fiscalDocSign);
    // The shift of a register that is not the demo's may have been open before. The answer is then the old opening report, and the newest
    // document is not known yet.
    this.#lastDocument = operation === "openshift" && !this.#ownRegister ? undefined : number;
    this.#lastTime = time;
    if (operation === "openshift") this.#shift = { number: undefined, documents: 0, cheques: 0 };
    this.#documents += 1;
    this.#shift.documents += 1;
    if (operation === "retaildemand" || operation === "retaisalesreturn") {
      this.#cheques += 1;
      this.#shift.cheques += 1;
    }
    return undefined;
  }

  #counted(operation: FiscalOperation, { shiftNumber, chequesTotal, fiscalDocsTotal }: FiscalAnswer): string | undefined {
    const shift = this.#shift;
    if (operation === "openshift") shift.number = shiftNumber;
    if (operation !== "closeshift") return undefined;
    if (shiftNumber !== shift.number) return `shift ${shift.number} was opened and ${shiftNumber} closed`;
    if (!this.#agrees(chequesTotal, shift.cheques)) return `chequesTotal ${chequesTotal} where ${shift.cheques} receipts were made`;
    if (!this.#agrees(fiscalDocsTotal, shift.documents))
      return `fiscalDocsTotal ${fiscalDocsTotal} where ${shift.documents} documents were made`;
    return undefined;
  }

  /** Whether a total of the shift is right. A shift from before the demo may contain further documents, so its total may be larger. */
  #agrees(total: number | undefined, ours: number): boolean {
    return this.#ownRegister ? total === ours : total !== undefined && total >= ours;
  }
}

/** Returns a time without its seconds, because not every register gives them (interface 6, After doubt). */
function minute(time: string): string {
  return time.slice(0, "2026-11-12 15:42".length);
}

/** Returns the time on a clock in a Moscow shop. */
export function moscowTime(nowMs: number): string {
  return new Date(nowMs + MOSCOW_MS).toISOString().slice(0, 19).replace("T", " ");
}
