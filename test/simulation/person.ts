import type { Entry } from "../../src/journal/entry.ts";
import type { JournalOutcome } from "../../src/journal/outcome.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { settledFacts } from "../../src/operator/settling/settled-facts.ts";
import { BrokenPromise } from "./broken-promise.ts";
import type { Printed } from "./devices/laboratory.ts";
import type { World } from "./world.ts";

/** A person looks at a doubt that has lasted for this time. By then a device has either made the document or never will. */
const WAIT_BEFORE_SETTLING_MS = 120_000;

/** The person who runs the server. Settles each doubt on the list by what the register's paper shows, like `cli journal settle`. */
export class Person {
  readonly #world: World;
  readonly #since = new Map<string, number>();
  /** The number of doubts that only a person could end. */
  settled = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Looks at the list. With a wait of 0, everything on it is settled. */
  async look(waitMs = WAIT_BEFORE_SETTLING_MS): Promise<void> {
    const { journal, clock } = this.#world;
    for (const entry of await journal.unfinished()) {
      if (entry.state !== "in-doubt") continue;
      const name = `${entry.id}/${entry.attempt}`;
      const sinceMs = this.#since.get(name) ?? clock.monotonicMs();
      this.#since.set(name, sinceMs);
      if (clock.monotonicMs() - sinceMs >= waitMs) await this.#settle(entry);
    }
  }

  async #settle(entry: Entry): Promise<void> {
    const paper = this.#world.device.drive.printed.find(({ reference, automatic }) => reference === entry.document.reference && !automatic);
    const outcome: JournalOutcome =
      paper === undefined ? { kind: "refused", refusal: { code: "not-registered" } } : await this.#asRead(entry, paper);
    try {
      await this.#world.journal.finish(entry, outcome, "person");
      this.settled += 1;
    } catch (error) {
      // The server may have ended the doubt meanwhile.
      if (!(error instanceof Failure && error.code === "journal-moved")) throw error;
    }
  }

  async #asRead(entry: Entry, { record }: Printed): Promise<JournalOutcome> {
    const { journal, device } = this.#world;
    const { identity } = device.drive;
    if (identity === undefined) throw new BrokenPromise("a document was made before the drive was registered");
    const { documentNumber, fiscalSign, time, shiftNumber, receipt } =
      record.kind === "fiscal" ? record.facts : { ...record, documentNumber: undefined, fiscalSign: undefined, receipt: undefined };
    const readOff = {
      time,
      shiftNumber,
      ...(documentNumber === undefined ? {} : { documentNumber }),
      ...(fiscalSign === undefined ? {} : { fiscalSign }),
      ...(receipt === undefined ? {} : { receiptNumber: receipt.number }),
    };
    const others = await journal.doneInShift(entry.register, identity.driveNumber, shiftNumber);
    // A person may have set the device's clock by a day. The paper exists, so the time on it has passed.
    const settlement = settledFacts(entry, readOff, { identity, others, deviceNow: time, confirmed: false });
    if (settlement.kind === "facts") return { kind: "done", facts: settlement.facts };
    throw new BrokenPromise(`a person cannot say what became of entry ${entry.id}: ${settlement.problem}`);
  }
}
