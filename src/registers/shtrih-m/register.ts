import type { Deadline } from "../../kernel/deadline.ts";
import type { RegisterDocument } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import { type Attempt, type LookUp, OTHER_DRIVE, type Outcome, type Reached, type Register, type RegisterState } from "../register.ts";
import { abandon } from "./documents/abandon.ts";
import { performCash } from "./documents/cash.ts";
import { performInterim } from "./documents/interim-report.ts";
import { performReceipt } from "./documents/receipt.ts";
import { performReport } from "./documents/report.ts";
import { type KnownDevice, readKnown } from "./identity/identity.ts";
import { lookUp } from "./lookup/lookup.ts";
import { unreachable } from "./refusals/refusals.ts";
import type { Connection } from "./session/connection.ts";
import { openingCashier } from "./state/cashier.ts";
import { DeviceMemory } from "./state/device-memory.ts";
import { documentsLeft, readHourly } from "./state/hourly.ts";
import { type Performed, refuse } from "./state/performed.ts";
import type { ReadyDevice } from "./state/ready-device.ts";
import { countsOf, withCounts } from "./state/shift-counts.ts";
import { inspect } from "./state/state.ts";

/** A register with the Shtrih-M protocol, over any link. */
export class ShtrihRegister implements Register {
  readonly #connection: Connection;
  readonly #print: "paper" | "none";
  readonly #memory = new DeviceMemory();
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
      this.#memory.keepReported(seen.kind === "reached" ? seen.value : undefined);
      return seen;
    });
  }

  perform(document: RegisterDocument, deadline: Deadline, attempt?: Attempt): Promise<Outcome> {
    return this.#inTurn(async () => {
      const reported = this.#memory.takeReportedDrawer();
      const device = await this.#readyDevice(document, deadline, attempt);
      if (device.kind === "unreachable") return refuse(unreachable(device.reason)).outcome;
      if (this.#memory.reportedOtherDrive(device.value.view.driveNumber)) return refuse(unreachable(OTHER_DRIVE)).outcome;
      this.#memory.forgetView();
      const performed = await this.#performed(
        reported === undefined ? device.value : { ...device.value, reportedDrawerKopecks: reported },
        document,
        deadline,
      );
      this.#memory.keepPerformed(performed);
      return performed.outcome;
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
      this.#memory.forgetView();
      return abandon(this.#connection, deadline);
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Runs the calls in sequence, because the device accepts one command at a time. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    // A failure reaches only its caller. The next call runs in any case.
    this.#turn = turn.then(ended, ended);
    return turn;
  }

  /** Returns the device. Identifies the device again after each opening of the link, because the link may then reach a different device. */
  async #identified(deadline: Deadline): Promise<Reached<KnownDevice>> {
    const known = this.#memory.knownOver(this.#connection);
    if (known !== undefined) return { kind: "reached", value: known };
    this.#memory.forgetDevice();
    const read = await readKnown(this.#connection, this.#print, deadline);
    if (read.kind === "reached") this.#memory.keepDevice(read.value);
    return read;
  }

  async #inspected(known: KnownDevice, deadline: Deadline): Promise<Reached<RegisterState>> {
    const { view: lastView, opening } = this.#memory;
    this.#memory.forgetView();
    const seen = await inspect(this.#connection, known, { lastView, opening }, deadline);
    if (seen.kind === "unreachable") return seen;
    const { state, view } = seen.value;
    if (state.driveNumber !== known.identity.driveNumber) {
      // The drive was exchanged while the link stayed open. This happens when the register was switched off but the converter on its line
      // was not.
      this.#memory.forgetDevice();
      const anew = await this.#identified(deadline);
      if (anew.kind === "unreachable") return anew;
      if (anew.value.identity.driveNumber === state.driveNumber) return this.#inspected(anew.value, deadline);
    }
    this.#memory.keepView(view, state);
    return { kind: "reached", value: await this.#withHourly(known, state, deadline) };
  }

  async #withHourly(known: KnownDevice, state: RegisterState, deadline: Deadline): Promise<RegisterState> {
    const read = await readHourly(this.#connection, { known, state, last: this.#memory.hourly }, deadline);
    this.#memory.keepHourly(read);
    const left = documentsLeft(read.hourly, state.lastDocumentNumber);
    return left === undefined ? state : { ...state, drive: { ...state.drive, documentsLeft: left } };
  }

  /**
   * Returns the device ready for the document. A receipt uses the last inspection, if there is one. Before any other document the register
   * is inspected again, because such documents are rare, and the state may have changed.
   */
  async #readyDevice(document: RegisterDocument, deadline: Deadline, attempt: Attempt | undefined): Promise<Reached<ReadyDevice>> {
    const known = await this.#identified(deadline);
    if (known.kind === "unreachable") return known;
    if (this.#memory.view === undefined || document.kind !== "receipt") {
      this.#memory.forgetView();
      const seen = await this.#inspected(known.value, deadline);
      if (seen.kind === "unreachable") return seen;
    }
    const { view } = this.#memory;
    if (view === undefined) return { kind: "unreachable", reason: "В кассе открыт незаконченный документ" };
    const mayRegister = async () => attempt === undefined || attempt.mayRegister();
    return { kind: "reached", value: { connection: this.#connection, known: this.#memory.known ?? known.value, view, mayRegister } };
  }

  async #performed(device: ReadyDevice, document: RegisterDocument, deadline: Deadline): Promise<Performed> {
    switch (document.kind) {
      case "open-shift":
      case "close-shift":
      case "state-report":
        return performReport(device, await this.#signed(device, document, deadline), deadline);
      case "receipt":
      case "correction":
        return performReceipt(device, await this.#signed(device, document, deadline), deadline);
      case "cash-in":
      case "cash-out":
        return performCash(device, await this.#signed(device, document, deadline), deadline);
      case "x-report":
        return performInterim(device, await this.#signed(device, document, deadline), deadline);
    }
  }

  /**
   * Adds the counts of a closed shift. No requisite contains the drawer's cash, and some devices give no numbers of receipts and documents.
   * The counts were read before the closing, or are read while the register still has them.
   */
  async #counted(found: Extract<LookUp, { kind: "found" }>, deadline: Deadline): Promise<LookUp> {
    const { facts } = found;
    const counts = this.#memory.countsOf(facts.shiftNumber) ?? (await countsOf(this.#connection, facts, deadline));
    return { ...found, facts: withCounts(facts, counts) };
  }

  /** Adds the cashier who opened the shift, if the document names no cashier. */
  async #signed<D extends RegisterDocument>(device: ReadyDevice, document: D, deadline: Deadline): Promise<D> {
    if (document.cashierName !== undefined || !device.view.shift.open) return document;
    const opening = await openingCashier(device, deadline);
    if (opening === undefined) return document;
    this.#memory.keepOpening(opening);
    const name = opening.cashier?.name;
    return name === undefined ? document : { ...document, cashierName: name };
  }
}

function ended(): void {}
