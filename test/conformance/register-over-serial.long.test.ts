import { beforeEach, expect, it, onTestFinished } from "vitest";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { type Deadline, deadlineIn } from "../../src/kernel/deadline.ts";
import { wallAsUtcMs } from "../../src/kernel/moment.ts";
import type { DocumentFacts } from "../../src/model/facts.ts";
import { Rack } from "../../src/registers/rack.ts";
import type { Register } from "../../src/registers/register.ts";
import { describeLink, SERIAL } from "../support/links.ts";
import { sampleSale, shiftDocument, wholeDay } from "../support/register-documents.ts";
import { asAnswered, asFound } from "../support/register-drive.ts";
import { stateOf, temporaryFolder, ZONE } from "../support/registers.ts";
import { PluggedDevice } from "../support/shtrih-m-plugged-device.ts";

const soon = (ms = 20_000) => deadlineIn(systemClock, ms);
/** So long after it was pulled out, a cable that stays out is given up. */
const SHORT_MS = 800;
const REFERENCE = "0123456789abcdef";

/** The time of a slip comes from the driver's copy of the device's clock, which may differ by a second. */
const SLIP_SLACK_MS = 2_000;

const PROTOCOLS = ["1.0", "2.0"];

for (const protocol of PROTOCOLS) {
  describeLink(`a register that speaks protocol ${protocol}`, SERIAL, () => {
    let device: PluggedDevice;
    let register: Register;
    /** Called each time the driver finds no port. Returns whether the cable is put back now. */
    let onShut: () => boolean;

    beforeEach(async () => {
      device = await PluggedDevice.open();
      onShut = () => false;
      const note = (_level: string, text: string) => {
        if (text !== "the link to the register does not open" || !onShut()) return;
        onShut = () => false;
        void device.plugIn();
      };
      const rack = new Rack({ clock: systemClock, chance: systemChance, dataDir: await temporaryFolder(), note });
      onTestFinished(() => rack.close());
      register = rack.at(`shtrih-m+serial:${device.path}?baud=115200&protocol=${protocol}`, ZONE);
    });

    it("makes a whole shift with the facts that the device has in its drive, and finds each of its documents there", async () => {
      for (const document of wholeDay()) {
        const outcome = await register.perform(document, soon());
        const [made, ...more] = await device.drive.made();
        expect(more).toEqual([]);
        expect(outcome).toMatchObject({ kind: "done" });
        // An X report leaves nothing in the drive.
        if (document.kind === "x-report") expect(made).toBeUndefined();
        if (outcome.kind !== "done" || document.kind === "x-report") continue;
        if (made === undefined) throw new Error(`${document.kind} is not in the drive`);
        expectSame(outcome.facts, asAnswered(made.facts));
        if (made.facts.kind !== "fiscal") continue;
        expect(await register.lookUp(made.facts.documentNumber, soon())).toMatchObject({ kind: "found", facts: asFound(made.facts) });
      }
      expect(await stateOf(register)).toMatchObject({ lastDocumentNumber: device.drive.lastNumber, documentOpen: false });
    });

    it.each(["8D", "FF0C", "FF46", "FF45"])("goes on with a sale whose port goes at %s and is back at once", async (command) => {
      await begin();
      const pulled = device.pullAt(command).then(() => device.plugIn());
      const outcome = await register.perform(sampleSale({ reference: REFERENCE }), soon());
      await pulled;
      const [made, ...more] = await device.drive.made();
      expect(more).toEqual([]);
      expect(outcome).toEqual({ kind: "done", facts: made && asAnswered(made.facts) });
      expect(made?.reference).toBe(REFERENCE);
    });

    it("refuses a sale whose port goes before FF45 and stays away too long, cancels it once the port is back, and makes the next", async () => {
      await begin();
      const limit = new ShortAfterPull();
      void device.pullAt("FF46", () => limit.begin());
      onShut = () => limit.remainingMs() <= 0;
      const refused = await register.perform(sampleSale(), limit);
      expect(refused).toMatchObject({ kind: "refused", refusal: { code: "register-unreachable" } });
      expect(await stateOf(register)).toMatchObject({ lastDocumentNumber: 2, documentOpen: false });
      expect(await device.drive.made()).toEqual([]);

      const again = await register.perform(sampleSale({ reference: REFERENCE }), soon());
      const made = await device.drive.made();
      expect(made.map(({ reference }) => reference)).toEqual([REFERENCE]);
      expect(again).toEqual({ kind: "done", facts: made[0] && asAnswered(made[0].facts) });
    });

    it("leaves a sale in doubt whose port goes at FF45 and stays away, and finds it once the port is back", async () => {
      await begin();
      const limit = new ShortAfterPull();
      const pulled = device.pullAt("FF45", () => limit.begin());
      const lost = await register.perform(sampleSale({ reference: REFERENCE }), limit);
      await pulled;
      expect(lost).toMatchObject({ kind: "in-doubt", doubt: { code: "no-answer", reason: expect.stringMatching(/[а-я]{4}/) } });
      await device.plugIn();
      const state = await stateOf(register);
      expect(state).toMatchObject({ lastDocumentNumber: device.drive.lastNumber, documentOpen: false });
      const [made, ...more] = await device.drive.made();
      expect(more).toEqual([]);
      const found = { kind: "found", facts: made && asFound(made.facts), reference: REFERENCE };
      expect(await register.lookUp(state.lastDocumentNumber, soon())).toEqual(found);
    });

    /** Opens a shift at a register whose identity is known. */
    async function begin(): Promise<void> {
      expect(await register.perform(shiftDocument("open-shift"), soon())).toMatchObject({ kind: "done" });
      await device.drive.made();
    }
  });
}

/** A time limit that a busy machine does not reach before the cable is pulled out, and that is short from then on. */
class ShortAfterPull implements Deadline {
  #limit = soon();

  begin(): void {
    this.#limit = soon(SHORT_MS);
  }

  get atMs(): number {
    return this.#limit.atMs;
  }

  remainingMs(): number {
    return this.#limit.remainingMs();
  }
}

function expectSame(facts: DocumentFacts, made: DocumentFacts): void {
  if (facts.kind !== "cash") {
    expect(facts).toEqual(made);
    return;
  }
  expect({ ...facts, time: "" }).toEqual({ ...made, time: "" });
  expect(Math.abs(wallAsUtcMs(facts.time) - wallAsUtcMs(made.time))).toBeLessThanOrEqual(SLIP_SLACK_MS);
}
