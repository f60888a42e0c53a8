import { describe, expect, it } from "vitest";
import { nextTurn } from "../../src/kernel/clock.ts";
import type { Frame } from "../support/agent-played-server.ts";
import { PlayedShop, type PlayedWire } from "../support/agent-shop.ts";
import type { WireEnd, WireFault } from "../support/agents-memory-socket.ts";
import { shiftDocument } from "../support/register-documents.ts";

/** What the server concludes about a sale. */
type Verdict = "registered" | "not-registered" | "ask-the-drive";

const STEP_MS = 250;
/** After so long a silence the server gives up a connection, and a step of a sale. */
const SILENCE_MS = 12_000;
const ACCEPTED_MS = 5_000;

/** Plays the server's rules for one document: without `go` it counts as not registered, and after `go` a recall decides. */
class SellingServer {
  readonly shop: PlayedShop;
  #greeted: PlayedWire | undefined;

  constructor(shop: PlayedShop) {
    this.shop = shop;
  }

  async sell(attempt: string): Promise<Verdict> {
    const wire = await this.connected();
    const number = wire.begin({ do: "perform", attempt, hash: "h", needs: [], document: shiftDocument("open-shift") });
    const first = await this.frame(wire, (frame) => frame.accepted === number || frame.answer === number, ACCEPTED_MS);
    if (first === undefined) return "not-registered";
    if (first.answer === number) return verdictOf(first);
    wire.send({ go: number });
    const answer = await this.frame(wire, (frame) => frame.answer === number, SILENCE_MS);
    return answer === undefined ? this.recall(attempt) : verdictOf(answer);
  }

  async recall(attempt: string): Promise<Verdict> {
    for (;;) {
      const wire = await this.connected();
      const number = wire.begin({ do: "recall", attempt });
      const answer = await this.frame(wire, (frame) => frame.answer === number, SILENCE_MS);
      if (answer === undefined) continue;
      const { kind, outcome } = answer.result as Frame;
      if (kind === "running") {
        await this.shop.clock.advance(STEP_MS);
        continue;
      }
      if (kind === "outcome") return verdictOf({ result: outcome });
      return kind === "never" ? "not-registered" : "ask-the-drive";
    }
  }

  async lastDocument(): Promise<number> {
    for (;;) {
      const wire = await this.connected();
      const number = wire.begin({ do: "inspect" });
      const answer = await this.frame(wire, (frame) => frame.answer === number, SILENCE_MS);
      const result = answer?.result as { value: { lastDocumentNumber: number } } | undefined;
      if (result !== undefined) return result.value.lastDocumentNumber;
      await this.shop.clock.advance(STEP_MS);
    }
  }

  /** Waits for a connection and greets it. A connection that does not answer is given up. */
  async connected(): Promise<PlayedWire> {
    for (;;) {
      const wire = this.shop.wires.at(-1);
      if (wire !== undefined && wire.closed === undefined) {
        if (wire === this.#greeted) return wire;
        wire.challenge();
        if ((await this.frame(wire, ({ hello }) => hello !== undefined, SILENCE_MS)) !== undefined) {
          wire.welcome(Number(wire.hello.epoch) + 1);
          if ((await this.frame(wire, ({ ready }) => ready !== undefined, SILENCE_MS)) !== undefined) {
            this.#greeted = wire;
            return wire;
          }
        }
      }
      await this.shop.clock.advance(STEP_MS);
    }
  }

  /**
   * Returns the first frame that matches. Undefined: the connection has ended, or the time limit has passed and the server has
   * ended it.
   */
  async frame(wire: PlayedWire, matches: (frame: Frame) => boolean, limitMs: number): Promise<Frame | undefined> {
    for (let leftMs = limitMs; ; leftMs -= STEP_MS) {
      // Work on the files of the emulated register takes turns of the event loop, but no time of the clock.
      for (let turn = 0; turn < FILE_TURNS; turn += 1) {
        const found = wire.frames.find(matches);
        if (found !== undefined) return found;
        if (wire.closed !== undefined) return undefined;
        await nextTurn();
      }
      if (leftMs <= 0) break;
      await this.shop.clock.advance(STEP_MS);
    }
    wire.memory.cut();
    await nextTurn();
    return undefined;
  }
}

const FILE_TURNS = 300;

function verdictOf({ result, failed }: Frame): Verdict {
  if (failed !== undefined) return "not-registered";
  const { kind } = result as Frame;
  return kind === "done" ? "registered" : kind === "refused" ? "not-registered" : "ask-the-drive";
}

const FAULTS: readonly (readonly [string, WireFault])[] = [
  ["lost with its connection", { kind: "cut" }],
  ["the last of its connection", { kind: "cut-after" }],
  ["doubled", { kind: "double" }],
  ["1 s late", { kind: "stall", ms: 1_000 }],
  ["6 s late", { kind: "stall", ms: 6_000 }],
  ["20 minutes late", { kind: "stall", ms: 1_200_000 }],
];
const ENDS: readonly WireEnd[] = ["server", "agent"];
/**
 * The numbers of the frames of each side, and one more: challenge, welcome, inspect, perform, go; hello, ready, answer,
 * accepted, answer.
 */
const FRAMES = [1, 2, 3, 4, 5, 6];

const CASES = ENDS.flatMap((from) => FRAMES.flatMap((n) => FAULTS.map(([words, fault]) => ({ from, n, words, fault }))));

describe("a sale with one bad frame", () => {
  it.each(CASES)("agrees with the drive when frame $n of the $from is $words", async ({ from, n, fault }) => {
    let left = true;
    const shop = new PlayedShop({
      faultOf: (frame) => {
        if (!left || frame.from !== from || frame.number !== n) return undefined;
        left = false;
        return fault;
      },
    });
    shop.dial.start();
    const server = new SellingServer(shop);
    const before = await server.lastDocument();
    const verdict = await server.sell("a-1");
    const made = (await server.lastDocument()) - before;
    expect(left).toBe(false);
    if (verdict !== "ask-the-drive") expect(made).toBe(verdict === "registered" ? 1 : 0);
    expect(made).toBeLessThanOrEqual(1);
    // The server's conclusion stays true, because the same attempt is never made later.
    await shop.clock.advance(30_000);
    expect((await server.lastDocument()) - before).toBe(made);
    expect(await server.recall("a-1")).not.toBe(made === 1 ? "not-registered" : "registered");
  });
});
