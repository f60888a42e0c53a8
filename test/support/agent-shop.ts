import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { INNER_PROTOCOLS, namedRegisters } from "../../src/agent/commands/options.ts";
import { Dial } from "../../src/agent/dial/dial.ts";
import { type DataFolder, dataFolder } from "../../src/agent/folder/data-folder.ts";
import { makeKey } from "../../src/agent/folder/key.ts";
import { LogTail } from "../../src/agent/log-tail.ts";
import { AttemptRecord } from "../../src/agent/record.ts";
import type { NamedRegister } from "../../src/agent/service/inner-register.ts";
import { AgentService, schemeOf } from "../../src/agent/service/service.ts";
import { nextTurn, systemChance } from "../../src/kernel/clock.ts";
import { Failure } from "../../src/kernel/failure.ts";
import type { Log } from "../../src/kernel/log.ts";
import type { RegisterProtocol } from "../../src/registers/protocol.ts";
import type { Frame } from "./agent-played-server.ts";
import { MemoryWire, type WireFault, type WireFrame } from "./agents-memory-socket.ts";
import { VirtualClock } from "./virtual-clock.ts";

const START_MS = Date.parse("2026-11-29T09:00:00Z");
export const HEAD = { register: "main", fence: 1, budgetMs: 60_000 };

interface ShopOptions {
  clock?: VirtualClock;
  data?: string;
  faultOf?: (frame: WireFrame) => WireFault | undefined;
  maxPages?: number;
  registers?: string[];
  protocols?: readonly RegisterProtocol[];
  named?: readonly NamedRegister[];
  /** The folder with the memories of emulated registers. Undefined: the agent's folder. */
  emulators?: string;
}

/**
 * The agent's service and connection on a virtual clock. The test plays the server by frames. The connection is in memory; the
 * record and the emulated register are files. `kill` leaves the files as a killed process does.
 */
export class PlayedShop {
  readonly clock: VirtualClock;
  readonly folder: DataFolder;
  readonly record: AttemptRecord;
  readonly service: AgentService;
  readonly dial: Dial;
  readonly logTail = new LogTail();
  readonly logged: { level: string; text: string; values: Record<string, unknown> }[] = [];
  readonly problems: string[] = [];
  readonly wires: PlayedWire[] = [];
  readonly gone: Failure[] = [];
  /** When set, no connection is made, and this error is thrown instead. */
  unreachable: Error | undefined;
  connects = 0;

  constructor({
    clock,
    data,
    faultOf,
    maxPages,
    registers = ["main=emulator:main"],
    protocols = INNER_PROTOCOLS,
    emulators,
    named: given,
  }: ShopOptions = {}) {
    this.clock = clock ?? new VirtualClock(START_MS);
    this.folder = dataFolder(data ?? mkdtempSync(join(tmpdir(), "agent-shop-")));
    const note = (level: string) => (values: Record<string, unknown>, text: string) => void this.logged.push({ level, text, values });
    const log: Log = { trace: note("trace"), debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
    const { clock: time, logTail } = this;
    this.record = AttemptRecord.open(this.folder.record, { clock: time, chance: systemChance }, maxPages === undefined ? {} : { maxPages });
    const named = given ?? namedRegisters(this.folder, registers);
    this.service = new AgentService({
      clock: time,
      log,
      logTail,
      record: this.record,
      registers: named,
      inner: {
        clock: time,
        chance: systemChance,
        dataDir: emulators ?? this.folder.path,
        timeZone: "Europe/Moscow",
        protocols,
        note: (level, text, values) => log[level](values, text),
        tracing: false,
      },
      gone: (failure) => void this.gone.push(failure),
    });
    this.dial = new Dial({
      clock: time,
      chance: systemChance,
      log,
      logTail,
      record: this.record,
      service: this.service,
      self: {
        agent: "agent-1",
        server: "server-1",
        boot: systemChance.uuid(),
        version: "1.0.0",
        registers: named.map((one) => ({ name: one.name, scheme: schemeOf(one) })),
        key: makeKey(this.folder.key),
      },
      url: "ws://127.0.0.1/agents/connect",
      connect: async () => {
        this.connects += 1;
        if (this.unreachable !== undefined) throw this.unreachable;
        const wire = new PlayedWire(new MemoryWire(time, faultOf), time);
        this.wires.push(wire);
        return wire.memory.agent;
      },
      ready: () => {},
      lost: (problem) => void this.problems.push(problem),
    });
    onTestFinished(() => this.kill());
  }

  get wire(): PlayedWire {
    const wire = this.wires.at(-1);
    if (wire === undefined) throw new Error("the agent has made no connection");
    return wire;
  }

  /** Starts the agent and goes through challenge and welcome. */
  async ready(epoch = this.record.epoch + 1): Promise<PlayedWire> {
    if (this.connects === 0) this.dial.start();
    await this.settled();
    await this.wire.greet(epoch);
    return this.wire;
  }

  /** Waits in turns of the event loop, while the clock stands. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await nextTurn();
  }

  /** Waits until all work that needs no time has ended. Work on files takes some turns of the event loop. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 40; turn += 1) await nextTurn();
  }

  /**
   * Ends the agent as kill -9 does: nothing that it sends from now on arrives, and the files stay. Then the locks of the files are free.
   */
  async kill(): Promise<void> {
    for (const wire of this.wires) wire.memory.pull();
    await this.service.close().catch(closedAlready);
    this.record.close();
  }

  /** Copies the data folder as a person would, and returns the path of the copy. */
  copy(): string {
    const to = mkdtempSync(join(tmpdir(), "agent-copy-"));
    cpSync(this.folder.path, to, { recursive: true });
    return to;
  }
}

function closedAlready(error: unknown): void {
  if (!(error instanceof Failure)) throw error;
}

/** The server's end of one connection in memory. */
export class PlayedWire {
  readonly memory: MemoryWire;
  readonly frames: Frame[] = [];
  closed: { code: number; reason: string } | undefined;
  readonly #clock: VirtualClock;
  #call = 0;

  constructor(memory: MemoryWire, clock: VirtualClock) {
    this.memory = memory;
    this.#clock = clock;
    memory.server.listen({
      frame: (text) => void this.frames.push(JSON.parse(text) as Frame),
      alive() {},
      closed: (code, reason) => {
        this.closed = { code, reason };
      },
    });
  }

  send(frame: Frame | string): void {
    this.memory.server.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  challenge(server = "server-1", protocol = [1, 1]): void {
    this.send({ challenge: "nonce-1", server, protocol });
  }

  welcome(epoch: number, more: Frame = {}): void {
    const at = new Date(this.#clock.nowMs()).toISOString();
    this.send({ welcome: { epoch, protocol: 1, pingMs: 5_000, silenceMs: 12_000, at, ...more } });
  }

  async greet(epoch: number): Promise<void> {
    this.challenge();
    await this.until(({ hello }) => hello !== undefined);
    this.welcome(epoch);
    await this.until(({ ready }) => ready !== undefined);
  }

  get hello(): Frame {
    return this.frames.find(({ hello }) => hello !== undefined)?.hello as Frame;
  }

  /** Waits in turns of the event loop, while the clock stands, and returns the first frame that matches. */
  async until(matches: (frame: Frame) => boolean): Promise<Frame> {
    let found = this.frames.find(matches);
    for (; found === undefined; found = this.frames.find(matches)) {
      if (this.closed !== undefined) throw new Error(`closed by ${JSON.stringify(this.closed)} after ${JSON.stringify(this.frames)}`);
      await nextTurn();
    }
    return found;
  }

  /** Sends a call and returns its number. */
  begin(call: Frame): number {
    this.#call += 1;
    this.send({ call: this.#call, ...HEAD, ...call });
    return this.#call;
  }

  answer(number: number): Promise<Frame> {
    return this.until(({ answer }) => answer === number);
  }

  async ask(call: Frame): Promise<Frame> {
    return this.answer(this.begin(call));
  }

  /** Sends a document, permits it, and returns the answer. */
  async perform(attempt: string, document: object, more: Frame = {}): Promise<Frame> {
    await this.ask({ do: "inspect" });
    const number = this.begin({ do: "perform", attempt, hash: `hash of ${attempt}`, needs: [], document, ...more });
    await this.until(({ accepted }) => accepted === number);
    this.send({ go: number });
    return this.answer(number);
  }
}
