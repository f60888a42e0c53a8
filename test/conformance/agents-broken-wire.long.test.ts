import { describe, expect, it } from "vitest";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import type { WireEnd, WireFault, WireFrame } from "../support/agents-memory-socket.ts";
import { type AgentBench, behindAgent } from "../support/agents-shop.ts";
import { emulatorBench, Trial } from "../support/registers.ts";
import { saleOperation, Till } from "../support/till.ts";

const HEARTBEAT = { pingMs: 5_000, silenceMs: 12_000 };
/** Longer than the longest delay of a frame of a sale, together with the time in which a lost agent comes back. */
const LONGEST_TROUBLE_MS = 25 * 60_000;
const STEP_MS = 5_000;
const MINUTE_MS = 60_000;

const FAULTS: [string, WireFault][] = [
  ["cut before it arrives", { kind: "cut" }],
  ["cut behind it", { kind: "cut-after" }],
  ["delivered twice", { kind: "double" }],
  ["late by a second", { kind: "stall", ms: 1_000 }],
  ["late by six seconds", { kind: "stall", ms: 6_000 }],
  ["late by more than the silence that is allowed", { kind: "stall", ms: 15_000 }],
  ["late by 20 minutes", { kind: "stall", ms: 20 * MINUTE_MS }],
];
const ENDS: WireEnd[] = ["server", "agent"];

interface Striking {
  arm(end: WireEnd, number: number, fault: WireFault): void;
  count(end: WireEnd): number;
  hasStruck(): boolean;
}

/** A till whose register is behind an agent. One frame after the call of `arm` is struck by a fault. */
class BrokenWire {
  readonly till: Till;
  readonly #struck: Striking;

  private constructor(till: Till, struck: Striking) {
    this.till = till;
    this.#struck = struck;
  }

  static async open(): Promise<BrokenWire> {
    const counts = { server: 0, agent: 0 };
    let armed: { end: WireEnd; number: number; fault: WireFault } | undefined;
    let struck = false;
    const faultOf = ({ from, text }: WireFrame): WireFault | undefined => {
      // Frames that the agent sends without being asked do not belong to the sale.
      if (text.startsWith('{"seen"') || text.startsWith('{"log"')) return undefined;
      counts[from] += 1;
      if (armed === undefined || armed.end !== from || counts[from] !== armed.number) return undefined;
      struck = true;
      return armed.fault;
    };
    const trial = await Trial.on<AgentBench>(async (clock) =>
      behindAgent(clock, await emulatorBench(clock, new MemoryDrive(), {}), "emulator:bench", { faultOf, heartbeat: HEARTBEAT }),
    );
    const till = await Till.open({ trial });
    await till.openShift();
    return new BrokenWire(till, {
      arm(end, number, fault) {
        counts.server = 0;
        counts.agent = 0;
        armed = { end, number, fault };
      },
      count: (end) => counts[end],
      hasStruck: () => struck,
    });
  }

  /** Sells, and repeats the sale until it is done, as a till does. Returns the number of frames that an end has sent in the first try. */
  async sell(end: WireEnd, number: number, fault: WireFault): Promise<number> {
    const { till } = this;
    this.#struck.arm(end, number, fault);
    const first = till.submit(saleOperation("sale-1"));
    let ended = false;
    void first.finally(() => {
      ended = true;
    });
    for (let waitedMs = 0; waitedMs < LONGEST_TROUBLE_MS && !ended; waitedMs += STEP_MS) await till.trial.clock.advance(STEP_MS);
    const frames = this.#struck.count(end);
    for (let waitedMs = 0; waitedMs < LONGEST_TROUBLE_MS; waitedMs += MINUTE_MS) {
      const submitted = await till.submitAndWait(saleOperation("sale-1"));
      if (submitted.kind === "done") return frames;
      await till.trial.clock.advance(MINUTE_MS);
    }
    throw new Error(`the sale is never done: ${(await till.states()).join(", ")}`);
  }

  get hasStruck(): boolean {
    return this.#struck.hasStruck();
  }
}

describe("a sale through a tunnel whose one frame is", () => {
  describe.each(FAULTS)("%s", (_what, fault) => {
    it.each(ENDS)("is registered once, whichever frame of the %s it is", { timeout: 240_000 }, async (end) => {
      for (let number = 1; ; number += 1) {
        const wire = await BrokenWire.open();
        const frames = await wire.sell(end, number, fault);
        const { till } = wire;
        const entries = await till.journal.list({ limit: 100 });
        const numbers = entries.flatMap(({ facts }) => (facts?.kind === "fiscal" ? [facts.documentNumber] : []));
        // The drive and the journal must have only these: the registration report, the opening of the shift, one sale.
        expect({ number, documents: till.trial.device.look().memory.lastDocumentNumber, numbers: numbers.toSorted() }).toEqual({
          number,
          documents: 3,
          numbers: [2, 3],
        });
        expect(await till.states()).toEqual(["open-shift done", "sale done"]);
        if (!wire.hasStruck) {
          expect(number).toBeGreaterThan(frames);
          break;
        }
      }
    });
  });
});
