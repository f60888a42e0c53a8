import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { Dial } from "../../src/agent/dial/dial.ts";
import { type AgentKey, makeKey } from "../../src/agent/folder/key.ts";
import { LogTail } from "../../src/agent/log-tail.ts";
import { AttemptRecord } from "../../src/agent/record.ts";
import { AgentService } from "../../src/agent/service/service.ts";
import { Enrolment } from "../../src/agents/enrolment.ts";
import { AgentHub } from "../../src/agents/hub.ts";
import { type Chance, type Clock, nextTurn, systemChance } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { AgentRegister } from "../../src/registers/agent/register.ts";
import type { Attempt, Register } from "../../src/registers/register.ts";
import type { Store } from "../../src/store/database.ts";
import { leadingTo } from "./agent-inner-protocol.ts";
import { MemoryWire, type WireFault, type WireFrame } from "./agents-memory-socket.ts";
import { openMemoryStore } from "./memory-store.ts";
import { type Bench, ZONE } from "./register-bench.ts";

const NAME = "shop";
const ACCOUNT = { appId: "app", accountId: "account" };
/** Tests move the clock by days, so a ping every few seconds would take too long. */
const SLOW_HEARTBEAT = { pingMs: 3_600_000, silenceMs: 7_200_000 };
/** Turns of the event loop in which an agent that waits for nothing connects. */
const CONNECTING_TURNS = 200;

interface ShopOptions {
  clock: Clock;
  /** The register behind the agent, and its address there. */
  inner: () => Register;
  address: string;
  /** What happens to the frames of each connection. */
  faultOf?: (frame: WireFrame) => WireFault | undefined;
  /** Whether the agent can dial now. */
  canDial?: () => boolean;
  chance?: Chance;
  /** How often both sides ping, and how long silence may last. */
  heartbeat?: { pingMs: number; silenceMs: number };
}

/** A server's hub and a shop's agent with a register, over connections in memory. Each side can be ended and started again. */
export class AgentShop {
  readonly store: Store;
  readonly wires: MemoryWire[] = [];
  readonly #options: ShopOptions;
  readonly #folder: string;
  readonly #key: AgentKey;
  readonly #agent: string;
  hub: AgentHub;
  #record: AttemptRecord | undefined;
  #dial: Dial | undefined;
  #service: AgentService | undefined;

  private constructor(options: ShopOptions, parts: { store: Store; folder: string; key: AgentKey; agent: string; hub: AgentHub }) {
    this.#options = options;
    this.store = parts.store;
    this.#folder = parts.folder;
    this.#key = parts.key;
    this.#agent = parts.agent;
    this.hub = parts.hub;
  }

  /** Opens the shop with its agent connected. */
  static async open(options: ShopOptions): Promise<AgentShop> {
    const { clock, chance = systemChance } = options;
    const store = await openMemoryStore({ clock });
    const folder = await mkdtemp(join(tmpdir(), "agent-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const key = makeKey(join(folder, "key.pem"));
    const enrolment = new Enrolment({ store, clock, chance });
    const issued = await enrolment.issue({ name: NAME, key: ACCOUNT, minutes: 15, replace: false, actor: OPERATOR });
    if (issued.kind !== "issued") throw new Error(issued.kind);
    const request = { code: issued.code, publicKey: key.publicKey, version: "1", host: "shop" };
    const enrolled = await enrolment.enrol(request, "192.0.2.1");
    if (enrolled.kind !== "enrolled") throw new Error(enrolled.kind);
    const hub = await hubOf(store, clock, chance, options.heartbeat);
    const shop = new AgentShop(options, { store, folder, key, agent: enrolled.agent, hub });
    onTestFinished(() => shop.stopAgent());
    shop.startAgent();
    await shop.connected();
    return shop;
  }

  /** The record of attempts beside the device. */
  get record(): AttemptRecord {
    if (this.#record === undefined) throw new Error("the agent does not run");
    return this.#record;
  }

  /** The connection that was made last. */
  get wire(): MemoryWire {
    const wire = this.wires.at(-1);
    if (wire === undefined) throw new Error("the agent was never connected");
    return wire;
  }

  /** A driver of the server for the register behind the agent. */
  register(): AgentRegister {
    return new AgentRegister({ agent: NAME, register: "main", text: NAME }, { clock: this.#options.clock, tunnel: this.hub });
  }

  /** Waits until the agent is connected. No time passes. */
  async connected(): Promise<void> {
    for (let turns = 0; this.hub.reach(NAME).kind === "away"; turns += 1) {
      if (turns === CONNECTING_TURNS) throw new Error("the agent did not connect");
      await nextTurn();
    }
  }

  get isConnected(): boolean {
    return this.hub.reach(NAME).kind === "connected";
  }

  /** Starts the server again with the same database. The earlier server hears nothing any more, as after kill -9. */
  async restartServer(): Promise<void> {
    const { clock, chance = systemChance } = this.#options;
    for (const wire of this.wires) wire.cut();
    this.hub = await hubOf(this.store, clock, chance, this.#options.heartbeat);
  }

  startAgent(): void {
    const { clock, chance = systemChance, address, inner } = this.#options;
    const logTail = new LogTail();
    const record = AttemptRecord.open(join(this.#folder, "record.sqlite"), { clock, chance });
    const protocols = [leadingTo(address, () => shared(inner))];
    const parsed = protocols[0]?.parse(address);
    if (parsed?.kind !== "address") throw new Error(`${address} is no address`);
    const services = { clock, chance, dataDir: this.#folder, timeZone: ZONE, protocols, note: () => {}, tracing: false };
    const registers = [{ name: "main", address: parsed.address, written: address }];
    const service = new AgentService({ clock, log: silentLog, logTail, record, registers, inner: services, gone: () => {} });
    const listed = [{ name: "main", scheme: address.slice(0, address.indexOf(":")) }];
    const dial = new Dial({
      clock,
      chance,
      log: silentLog,
      logTail,
      self: { agent: this.#agent, server: this.hub.serverId, boot: chance.uuid(), version: "1", registers: listed, key: this.#key },
      record,
      service,
      url: "ws://server/agents/connect",
      connect: async () => {
        if (this.#options.canDial?.() === false) throw new Error("the network is down");
        const wire = new MemoryWire(clock, this.#options.faultOf);
        this.wires.push(wire);
        this.hub.take(wire.server, "192.0.2.1");
        return wire.agent;
      },
      ready: () => {},
      lost: () => {},
    });
    this.#record = record;
    this.#service = service;
    this.#dial = dial;
    dial.start();
  }

  /** Ends the agent in order. */
  async stopAgent(): Promise<void> {
    const [dial, service, record] = [this.#dial, this.#service, this.#record];
    this.#dial = undefined;
    this.#service = undefined;
    this.#record = undefined;
    if (dial === undefined) return;
    // The clock may stand still, so the ends of both are not awaited.
    void dial.close();
    void service?.close();
    record?.close();
  }
}

async function hubOf(store: Store, clock: Clock, chance: Chance, heartbeat = SLOW_HEARTBEAT): Promise<AgentHub> {
  const hub = new AgentHub({
    store,
    clock,
    chance,
    log: silentLog,
    ...heartbeat,
    limit: 100,
    zone: ZONE,
    unfinishedAttempts: async () => new Set(),
    observe: { bytes: () => {}, call: () => {}, connect: () => {}, refused: () => {}, logDropped: () => {} },
  });
  await hub.open();
  return hub;
}

/** Keeps the device when the agent closes what it has opened. */
function shared(inner: () => Register): Register {
  return {
    identity: (deadline) => inner().identity(deadline),
    inspect: (deadline) => inner().inspect(deadline),
    perform: (document, deadline, attempt) => inner().perform(document, deadline, attempt),
    lookUp: (number, deadline) => inner().lookUp(number, deadline),
    abandon: (deadline) => inner().abandon(deadline),
    close: async () => {},
  };
}

/** A register behind an agent, and both sides of the connection between server and agent. */
export interface AgentBench extends Bench {
  shop: AgentShop;
}

/** The register of another bench, moved behind an agent. */
export async function behindAgent(
  clock: Clock,
  bench: Bench,
  address: string,
  more: Pick<ShopOptions, "faultOf" | "canDial" | "heartbeat"> = {},
): Promise<AgentBench> {
  let inner = bench;
  const shop = await AgentShop.open({ clock, inner: () => inner.register, address, ...more });
  const made = (): AgentBench => ({
    shop,
    register: withAttempts(shop.register()),
    device: inner.device,
    seconds: inner.seconds,
    async restart() {
      await shop.stopAgent();
      inner = await inner.restart();
      await shop.restartServer();
      shop.startAgent();
      await shop.connected();
      return made();
    },
    async passHours(pass) {
      await shop.stopAgent();
      await pass();
      shop.startAgent();
      await shop.connected();
    },
  });
  return made();
}

/** Does for a test what a turn does: inspects before the first document, and makes the ids of attempts. */
function withAttempts(register: AgentRegister): Register {
  let isInspected = false;
  return {
    identity: (deadline) => register.identity(deadline),
    async inspect(deadline) {
      isInspected = true;
      return register.inspect(deadline);
    },
    async perform(document, deadline, attempt: Attempt = { id: systemChance.uuid(), mayRegister: async () => true }) {
      if (!isInspected) await this.inspect(deadline);
      return register.perform(document, deadline, attempt);
    },
    recall: (attempt, deadline) => register.recall(attempt, deadline),
    lookUp: (number, deadline) => register.lookUp(number, deadline),
    abandon: (deadline) => register.abandon(deadline),
    close: () => register.close(),
  };
}
