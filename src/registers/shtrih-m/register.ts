import type { Deadline } from "../../kernel/deadline.ts";
import type { RegisterDocument } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import type { LookUp, Outcome, Reached, Register, RegisterState } from "../register.ts";
import { abandon } from "./documents/abandon.ts";
import { performCash } from "./documents/cash.ts";
import { performInterim } from "./documents/interim-report.ts";
import { performReceipt } from "./documents/receipt.ts";
import { performReport } from "./documents/report.ts";
import { type Known, readKnown } from "./identity/identity.ts";
import { lookUp } from "./lookup/lookup.ts";
import { unreachable } from "./refusals/refusals.ts";
import type { Connection } from "./session/connection.ts";
import { openingCashier } from "./state/cashier.ts";
import { documentsLeft, type Hourly, readHourly } from "./state/hourly.ts";
import type { Opening } from "./state/opening.ts";
import { countsOf, type ShiftCounts, withCounts } from "./state/shift-counts.ts";
import { inspect } from "./state/state.ts";
import { type Performed, refuse, type Station } from "./state/station.ts";
import type { View } from "./state/view.ts";

/** A register that speaks the Shtrih-M protocol, at the end of whatever link it hangs on. */
export class ShtrihRegister implements Register {
  readonly #connection: Connection;
  readonly #print: "paper" | "none";
  #known: Known | undefined;
  /** What `inspect` told last, until something is made: a checkpoint may have been made of it. */
  #toldDrawerKopecks: number | undefined;
  #view: View | undefined;
  #opening: Opening | undefined;
  #hourly: Hourly | undefined;
  #counts: ShiftCounts | undefined;
  /** The drive that `inspect` last told of: nothing is registered in another. */
  #toldDrive: string | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(connection: Connection, print: "paper" | "none") {
    this.#connection = connection;
    this.#print = print;
  }

  identity(deadline: Deadline): Promise<Reached<RegisterIdentity>> {
    return this.#inTurn(async () => {
      const known = await this.#identified(deadline);
      return known.kind === "reached" ? { kind: "reached", value: known.value.identity } : known;
    });
  }

  inspect(deadline: Deadline): Promise<Reached<RegisterState>> {
    return this.#inTurn(async () => {
      const known = await this.#identified(deadline);
      const seen = known.kind === "unreachable" ? known : await this.#inspected(known.value, deadline);
      this.#toldDrawerKopecks = seen.kind === "reached" ? seen.value.drawerKopecks : undefined;
      if (seen.kind === "reached") this.#toldDrive = seen.value.driveNumber;
      return seen;
    });
  }

  perform(document: RegisterDocument, deadline: Deadline): Promise<Outcome> {
    return this.#inTurn(async () => {
      const told = this.#toldDrawerKopecks;
      this.#toldDrawerKopecks = undefined;
      const station = await this.#station(document, deadline);
      if (station.kind === "unreachable") return refuse(unreachable(station.reason)).outcome;
      const { driveNumber } = station.value.view;
      if (driveNumber !== (this.#toldDrive ?? driveNumber)) return refuse(unreachable(OTHER_DRIVE)).outcome;
      // Whatever happens now, the device is looked at anew unless the document tells how it stands.
      this.#view = undefined;
      const { outcome, view, opening, counts, known } = await this.#performed(
        told === undefined ? station.value : { ...station.value, toldDrawerKopecks: told },
        document,
        deadline,
      );
      this.#view = view;
      this.#opening = opening ?? this.#opening;
      this.#counts = counts ?? this.#counts;
      this.#known = known ?? this.#known;
      return outcome;
    });
  }

  lookUp(documentNumber: number, deadline: Deadline): Promise<LookUp> {
    return this.#inTurn(async () => {
      const known = await this.#identified(deadline);
      if (known.kind === "unreachable") return known;
      const found = await lookUp(this.#connection, known.value.identity, documentNumber, deadline);
      return found.kind === "found" && found.facts.document === "close-shift" ? this.#counted(found, deadline) : found;
    });
  }

  abandon(deadline: Deadline): Promise<Reached<"nothing-open" | "cancelled">> {
    return this.#inTurn(async () => {
      const known = await this.#identified(deadline);
      if (known.kind === "unreachable") return known;
      this.#view = undefined;
      return abandon(this.#connection, deadline);
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** One call at a time, in their order: the device has one conversation. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    // The next one's turn comes whatever became of this; its own caller learns that.
    this.#turn = turn.then(ended, ended);
    return turn;
  }

  /** Who is there, read anew after every opening of the link: another device may have come. */
  async #identified(deadline: Deadline): Promise<Reached<Known>> {
    const known = this.#known;
    if (known !== undefined && this.#connection.isOpen && known.openings === this.#connection.openings) {
      return { kind: "reached", value: known };
    }
    this.#known = undefined;
    this.#view = undefined;
    const read = await readKnown(this.#connection, this.#print, deadline);
    if (read.kind === "reached") this.#known = read.value;
    return read;
  }

  async #inspected(known: Known, deadline: Deadline): Promise<Reached<RegisterState>> {
    const remembered = {
      ...(this.#view === undefined ? {} : { view: this.#view }),
      ...(this.#opening === undefined ? {} : { opening: this.#opening }),
    };
    this.#view = undefined;
    const seen = await inspect(this.#connection, known, remembered, deadline);
    if (seen.kind === "unreachable") return seen;
    const { state, view } = seen.value;
    if (state.driveNumber !== known.identity.driveNumber) {
      // Exchanged behind a line that never broke: the register was off meanwhile, its converter was not.
      this.#known = undefined;
      const anew = await this.#identified(deadline);
      if (anew.kind === "unreachable") return anew;
      if (anew.value.identity.driveNumber === state.driveNumber) return this.#inspected(anew.value, deadline);
    }
    this.#opening = view.opening ?? this.#opening;
    this.#view = state.documentOpen ? undefined : view;
    return { kind: "reached", value: await this.#withHourly(known, state, deadline) };
  }

  async #withHourly(known: Known, state: RegisterState, deadline: Deadline): Promise<RegisterState> {
    const read = await readHourly(this.#connection, { known, state, last: this.#hourly }, deadline);
    this.#known = read.known;
    this.#hourly = read.hourly;
    const left = documentsLeft(read.hourly, state.lastDocumentNumber);
    return left === undefined ? state : { ...state, drive: { ...state.drive, documentsLeft: left } };
  }

  /** Reports and slips are rare and follow on anything: they always begin with a look at the device. */
  async #station(document: RegisterDocument, deadline: Deadline): Promise<Reached<Station>> {
    const known = await this.#identified(deadline);
    if (known.kind === "unreachable") return known;
    if (this.#view === undefined || document.kind !== "receipt") {
      this.#view = undefined;
      const seen = await this.#inspected(known.value, deadline);
      if (seen.kind === "unreachable") return seen;
    }
    if (this.#view === undefined) return { kind: "unreachable", reason: "В кассе открыт незаконченный документ" };
    return { kind: "reached", value: { connection: this.#connection, known: this.#known ?? known.value, view: this.#view } };
  }

  async #performed(station: Station, document: RegisterDocument, deadline: Deadline): Promise<Performed> {
    switch (document.kind) {
      case "open-shift":
      case "close-shift":
      case "state-report":
        return performReport(station, await this.#signed(station, document, deadline), deadline);
      case "receipt":
      case "correction":
        return performReceipt(station, await this.#signed(station, document, deadline), deadline);
      case "cash-in":
      case "cash-out":
        return performCash(station, await this.#signed(station, document, deadline), deadline);
      case "x-report":
        return performInterim(station, await this.#signed(station, document, deadline), deadline);
    }
  }

  /** What no requisite tells of a closed shift was counted before the closing, or is asked for while it is still known. */
  async #counted(found: Extract<LookUp, { kind: "found" }>, deadline: Deadline): Promise<LookUp> {
    const { facts } = found;
    const remembered = this.#counts?.shiftNumber === facts.shiftNumber ? this.#counts : undefined;
    return { ...found, facts: withCounts(facts, remembered ?? (await countsOf(this.#connection, facts, deadline))) };
  }

  /** The document under the name of the cashier who opened the shift, where it brings none. */
  async #signed<D extends RegisterDocument>(station: Station, document: D, deadline: Deadline): Promise<D> {
    if (document.cashierName !== undefined || !station.view.shift.open) return document;
    const opening = await openingCashier(station, deadline);
    if (opening === undefined) return document;
    this.#opening = opening;
    const name = opening.cashier?.name;
    return name === undefined ? document : { ...document, cashierName: name };
  }
}

const OTHER_DRIVE = "После проверки в кассе сменился фискальный накопитель";

function ended(): void {}
