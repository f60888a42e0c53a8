import { expect, it } from "vitest";
import {
  type NumberedTurnEffect,
  type NumberedTurnInput,
  nothingDone,
  type Request,
  transition as turned,
} from "../../../../../src/registers/shtrih-m/device/line/numbered-turn.ts";
import {
  begin,
  ended,
  type Input,
  type Left,
  type Step,
  transition,
  turnOf,
} from "../../../../../src/registers/shtrih-m/wire/dialogue-numbered.ts";
import type { ExchangedKind, ExchangeRequest } from "../../../../../src/registers/shtrih-m/wire/exchange.ts";
import { NumberedParser } from "../../../../../src/registers/shtrih-m/wire/frame-numbered.ts";
import { SeededRandom } from "../../../../../src/tools/seeded-random.ts";

const WORLDS = 4_000;
const COMMANDS = 6;
const TIMING = { acknowledgeMs: 20_000, settleMs: 100 };

type Message = Extract<Input, { kind: "message" | "question" }>;

/**
 * Plays the host's turns against the device's. Each step is chosen by chance: the line loses, damages or delays a frame or is cut, or
 * the device loses its power. Every command has a number of its own, by which its executions are counted.
 */
class World {
  readonly #random: SeededRandom;
  readonly executed = new Map<number, number>();
  #toDevice: Request<number>[] = [];
  #toHost: Message[] = [];
  #device = nothingDone<number>();
  #working: Buffer | undefined;
  #connection = 0;
  #left: Left | undefined;
  #open = false;
  #troubles: number;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    this.#troubles = this.#random.below(2) === 0 ? this.#random.below(8) : this.#random.below(60);
  }

  exchange(command: number, repeat: "safe" | "never"): { result: ExchangedKind; stale: readonly Buffer[] } {
    const request: ExchangeRequest = { data: Buffer.of(0x50, command), code: [0x50], allowedMs: 1_000, repeat };
    this.#toHost = [];
    let step = begin(turnOf(request, TIMING), { open: this.#open, left: this.#left });
    for (let count = 0; ; count += 1) {
      if (count > 10_000) throw new Error("never ends");
      const came = this.#carryOut(step);
      const end = ended(step.state);
      if (end !== undefined) {
        this.#left = end.left;
        return end;
      }
      step = transition(step.state, came ?? this.#next());
    }
  }

  #carryOut({ effects }: Step): Input | undefined {
    for (const effect of effects) {
      if (effect.kind === "open") {
        this.#open = true;
        this.#connection += 1;
        this.#toHost = [];
        return { kind: "opened" };
      }
      if (effect.kind === "close") {
        this.#open = false;
        return undefined;
      }
      const [token] = new NumberedParser().push(effect.bytes);
      if (token?.kind === "message" || token?.kind === "question") this.#toDevice.push({ ...token, asker: this.#connection });
    }
    return undefined;
  }

  /** Chooses the next event. While troubles are left, about every fourth event is one. */
  #next(): Input {
    for (;;) {
      if (this.#troubles > 0 && this.#random.below(4) === 0) {
        this.#troubles -= 1;
        const trouble = this.#trouble();
        if (trouble !== undefined) return trouble;
        continue;
      }
      const idle = this.#toDevice.length === 0 && this.#working === undefined && this.#toHost.length === 0;
      if (idle) return { kind: "silence" };
      switch (this.#random.below(3)) {
        case 0: {
          const request = this.#toDevice.shift();
          if (request !== undefined) this.#hear(request);
          break;
        }
        case 1:
          this.#finish();
          break;
        default: {
          const message = this.#toHost.shift();
          if (message !== undefined) return message;
        }
      }
    }
  }

  #trouble(): Input | undefined {
    switch (this.#random.below(7)) {
      case 0:
        this.#toDevice.shift();
        return undefined;
      case 1:
        this.#toHost.shift();
        return undefined;
      case 2:
        return this.#toHost.shift() === undefined ? undefined : { kind: "damaged" };
      case 3:
        return { kind: "silence" };
      case 4:
        return this.#cut();
      case 5:
        this.#losePower();
        return undefined;
      default:
        this.#losePower();
        return this.#cut();
    }
  }

  /** Bytes on their way to the device may still arrive. */
  #cut(): Input {
    this.#open = false;
    this.#toHost = [];
    if (this.#random.below(2) === 0) this.#toDevice = [];
    return { kind: "lost", reason: "кабель", unsent: false };
  }

  #losePower(): void {
    this.#device = nothingDone();
    this.#working = undefined;
    if (this.#random.below(2) === 0) this.#toDevice = [];
  }

  /** The command is carried out before the answer is ready, so the power may fail in between. */
  #finish(): void {
    const data = this.#working;
    this.#working = undefined;
    if (data !== undefined) this.#hear({ kind: "answer", data: data });
  }

  #hear(input: NumberedTurnInput<number>): void {
    const { state, effects } = turned(this.#device, input);
    this.#device = state;
    for (const effect of effects) this.#do(effect);
  }

  #do(effect: NumberedTurnEffect<number>): void {
    if (effect.kind === "execute") {
      const command = effect.data[1] ?? 0;
      if (effect.data[0] === 0x50) this.executed.set(command, (this.executed.get(command) ?? 0) + 1);
      this.#working = Buffer.concat([effect.data.subarray(0, 1), Buffer.of(0, command)]);
    } else if (effect.asker === this.#connection) {
      this.#toHost.push({ kind: "message", number: effect.kept.number, data: effect.kept.answer });
    }
  }
}

it("protocol 2.0 carries no command that may not be repeated out twice, and tells the truth of it, whatever line and power do", () => {
  const seen = { answered: 0, unknown: 0, undelivered: 0, settledLater: 0 };
  for (let seed = 1; seed <= WORLDS; seed += 1) {
    const world = new World(seed);
    let doubtful: number | undefined;
    for (let command = 1; command <= COMMANDS; command += 1) {
      const repeat = command % 2 === 0 ? "never" : "safe";
      const { result, stale } = world.exchange(command, repeat);
      const times = world.executed.get(command) ?? 0;
      const why = `seed ${seed}, command ${command}, ${result.kind}`;
      if (repeat === "never") expect(times, why).toBeLessThanOrEqual(1);
      if (result.kind === "answered") {
        expect(times, why).toBeGreaterThanOrEqual(1);
        expect(result.data, why).toEqual(Buffer.of(0x50, 0, command));
      }
      if (result.kind === "undelivered") expect(times, why).toBe(0);
      for (const data of stale) {
        expect(data[2], why).toBe(doubtful);
        seen.settledLater += 1;
      }
      if (result.kind === "unknown") doubtful = command;
      seen[result.kind] += 1;
    }
    // A frame that arrived after the end of its exchange is counted too.
    for (const [command, times] of world.executed) if (command % 2 === 0) expect(times, `seed ${seed}`).toBe(1);
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
});
