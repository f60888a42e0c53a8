import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OPERATOR } from "../../../src/accounts/audit.ts";
import { Dial } from "../../../src/agent/dial/dial.ts";
import { type AgentKey, makeKey } from "../../../src/agent/folder/key.ts";
import { LogTail } from "../../../src/agent/log-tail.ts";
import { AttemptRecord } from "../../../src/agent/record.ts";
import { AgentService } from "../../../src/agent/service/service.ts";
import { Enrolment } from "../../../src/agents/enrolment.ts";
import { AgentHub } from "../../../src/agents/hub.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { AgentRegister } from "../../../src/registers/agent/register.ts";
import type { WireSocket } from "../../../src/registers/agent/wire/wire-socket.ts";
import type { Register } from "../../../src/registers/register.ts";
import type { Store } from "../../../src/store/database.ts";
import { leadingTo } from "../../support/agent-inner-protocol.ts";
import { MemoryWire, type WireFault, type WireFrame } from "../../support/agents-memory-socket.ts";
import { openMemoryStore } from "../../support/memory-store.ts";
import { type Fate, Life } from "../life.ts";
import { LONGEST_ABSENCE_MS, LONGEST_DELAY_MS, LONGEST_POWER_CUT_MS } from "../troubles.ts";
import { mutatedRecord, mutatedService } from "./agent-mutation.ts";
import type { SimulatedDevice } from "./device.ts";
import { mortalRecord, mortalSocket } from "./mortal.ts";
import type { DeviceSurroundings } from "./surroundings.ts";

const NAME = "shop";
const PLACE = { agent: NAME, register: "main", text: NAME };
const ACCOUNT = { appId: "app", accountId: "account" };
/** A document has only one step between `accepted` and `go`, and only one moment before the outcome is recorded: both get more troubles. */
const STEP_TROUBLE = 8;
const FINISH_TROUBLE = 8;
/** A network outside a shop breaks so many times more often than a cable. */
const WIRE_TROUBLE = 40;

interface AgentSurroundings extends DeviceSurroundings {
  /** The ids of the attempts whose operations have not ended. */
  unfinishedAttempts(): Promise<ReadonlySet<string>>;
  /** The safeguard that is missing. */
  mutation: string | undefined;
}

interface Enrolled {
  store: Store;
  folder: string;
  key: AgentKey;
  agent: string;
}

/** A server's process as the agent reaches it. */
interface Hub {
  hub: AgentHub;
  life: Life;
  wires: Set<MemoryWire>;
}

/**
 * A device behind a shop's agent. The hub and the agent are the real ones. The hub lives as long as the server's process, and the agent
 * has lives of its own. The network between them breaks, delays and goes silent. What the hub and the agent have stored outlives both.
 */
export class SimulatedAgent implements SimulatedDevice {
  readonly address = `agent:${NAME}`;
  readonly #inner: SimulatedDevice;
  readonly #around: AgentSurroundings;
  readonly #enrolled: Enrolled;
  #hub: Hub | undefined;
  /** Until this time the network is down. */
  #downUntilMs = 0;
  #isOver = false;

  private constructor(around: AgentSurroundings, inner: SimulatedDevice, enrolled: Enrolled) {
    this.#around = around;
    this.#inner = inner;
    this.#enrolled = enrolled;
  }

  static async begin(around: AgentSurroundings, inner: SimulatedDevice): Promise<SimulatedAgent> {
    const { clock, chance } = around;
    const store = await openMemoryStore({ clock });
    const folder = mkdtempSync(join(tmpdir(), "simulated-agent-"));
    const key = makeKey(join(folder, "key.pem"));
    const enrolment = new Enrolment({ store, clock, chance });
    const issued = await enrolment.issue({ name: NAME, key: ACCOUNT, minutes: 15, replace: false, actor: OPERATOR });
    if (issued.kind !== "issued") throw new Error(issued.kind);
    const request = { code: issued.code, publicKey: key.publicKey, version: "1", host: "shop" };
    const enrolled = await enrolment.enrol(request, "192.0.2.1");
    if (enrolled.kind !== "enrolled") throw new Error(enrolled.kind);
    const device = new SimulatedAgent(around, inner, { store, folder, key, agent: enrolled.agent });
    device.#startAgent();
    return device;
  }

  get drive(): SimulatedDevice["drive"] {
    return this.#inner.drive;
  }

  get opensShifts(): boolean {
    return this.#inner.opensShifts;
  }

  /** The hub of one process of the server, and its driver. */
  registerOf(life: Life): Register {
    const { clock, chance, zone, unfinishedAttempts } = this.#around;
    const { store } = this.#enrolled;
    const hub = new AgentHub({
      store: {
        commit: (work, what) => life.pass("agents commit", () => store.commit(work, what)),
        read: (work) => life.pass("agents read", () => store.read(work)),
      },
      clock: life.clock(clock),
      chance,
      log: silentLog,
      pingMs: 5_000,
      silenceMs: 12_000,
      limit: 10,
      zone,
      unfinishedAttempts,
      observe: { bytes: () => {}, call: () => {}, connect: () => {}, refused: () => {}, logDropped: () => {} },
    });
    const opened: Hub = { hub, life, wires: new Set() };
    void hub.open().then(() => {
      this.#hub = opened;
    });
    void life.died.then(() => {
      for (const wire of opened.wires) wire.cut();
    });
    return new AgentRegister(PLACE, { clock: life.clock(clock), tunnel: hub });
  }

  jumpClock(byMs: number): void {
    this.#inner.jumpClock(byMs);
  }

  putBack(documents: number): Promise<void> {
    return this.#inner.putBack(documents);
  }

  putRight(): Promise<void> {
    return this.#inner.putRight();
  }

  tend(): void {
    this.#downUntilMs = 0;
    this.#inner.tend();
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#enrolled.store.close();
    rmSync(this.#enrolled.folder, { recursive: true, force: true });
  }

  /** Starts a new life of the process in the shop. */
  #startAgent(): void {
    const { clock: world, chance, zone } = this.#around;
    const { folder, key, agent } = this.#enrolled;
    const life = new Life((point) => this.#fate(point));
    const clock = life.clock(world);
    const stored = AttemptRecord.open(join(folder, "record.sqlite"), { clock, chance });
    const { mutation } = this.#around;
    const record = mutatedRecord(mutation, mortalRecord(stored, life));
    const inner = this.#inner.registerOf(life);
    const protocol = leadingTo(this.#inner.address, () => inner);
    const parsed = protocol.parse(this.#inner.address);
    if (parsed.kind !== "address") throw new Error(parsed.problem);
    const logTail = new LogTail();
    const ownService = new AgentService({
      clock,
      log: silentLog,
      logTail,
      record,
      registers: [{ name: "main", address: parsed.address, written: this.#inner.address }],
      inner: { clock, chance, dataDir: folder, timeZone: zone, protocols: [protocol], note: () => {}, tracing: false },
      gone: () => {},
    });
    const service = mutatedService(mutation, ownService);
    const wires = new Set<MemoryWire>();
    const registers = [{ name: "main", scheme: "simulated" }];
    const parts = { clock, chance, log: silentLog, logTail, record, service, ready: () => {}, lost: () => {} };
    const connect = () => life.pass("dial", async () => this.#connect(life, wires));
    const url = "ws://server/agents/connect";
    const dial = (server: string) =>
      new Dial({ ...parts, self: { agent, server, boot: chance.uuid(), version: "1", registers, key }, url, connect }).start();
    void this.#serverId(life).then(dial);
    void life.died.then(() => {
      for (const wire of wires) wire.cut();
      stored.close();
      world.after(chance.below(LONGEST_ABSENCE_MS), () => {
        if (!this.#isOver) this.#startAgent();
      });
    });
  }

  /** The id of the server. The agent knows it from its enrolment. */
  async #serverId(life: Life): Promise<string> {
    while (this.#hub === undefined)
      await life.pass("wait", () => new Promise<void>((resolve) => void this.#around.clock.after(100, resolve)));
    return this.#hub.hub.serverId;
  }

  async #connect(life: Life, wires: Set<MemoryWire>): Promise<WireSocket> {
    const hub = this.#hub;
    const { clock } = this.#around;
    if (hub === undefined || !hub.life.alive || clock.monotonicMs() < this.#downUntilMs) throw new Error("nobody answers");
    const wire: MemoryWire = new MemoryWire(clock, (frame) => this.#befalls(wire, frame));
    wires.add(wire);
    hub.wires.add(wire);
    hub.hub.take(mortalSocket(wire.server, hub.life), "192.0.2.1");
    return mortalSocket(wire.agent, life);
  }

  /** Chooses what happens to a frame. */
  #befalls(wire: MemoryWire, { text }: WireFrame): WireFault | undefined {
    const { chance, clock } = this.#around;
    const { cut, delay } = this.#around.troubles();
    const isStep = text.startsWith('{"go"') || text.startsWith('{"accepted"');
    if (chance.happens(cut * WIRE_TROUBLE * (isStep ? STEP_TROUBLE : 1))) {
      this.#downUntilMs = clock.monotonicMs() + chance.below(LONGEST_POWER_CUT_MS);
      return chance.pick([{ kind: "cut" }, { kind: "cut-after" }] as const);
    }
    // A pulled cable: neither side is told, and nothing arrives.
    if (chance.happens(cut * WIRE_TROUBLE)) wire.pull();
    if (chance.happens(delay * WIRE_TROUBLE)) return { kind: "stall", ms: chance.below(LONGEST_DELAY_MS * 8) };
    return chance.happens(delay * WIRE_TROUBLE) ? { kind: "double" } : undefined;
  }

  /** A document has one moment at which its outcome exists only in the agent's memory. Deaths are more likely at this moment. */
  #fate(point: string): Fate {
    const { chance, troubles } = this.#around;
    const { deathAtAwait, deathOnTheLine } = troubles();
    const share = point.startsWith("link") ? deathOnTheLine : point === "record finish" ? deathAtAwait * FINISH_TROUBLE : deathAtAwait;
    if (!chance.happens(share)) return "live";
    return chance.happens(0.5) ? "die-before" : "die-after";
  }
}
