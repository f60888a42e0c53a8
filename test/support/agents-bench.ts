import type { KeyObject } from "node:crypto";
import { OPERATOR } from "../../src/accounts/audit.ts";
import type { ArrivalOutcome } from "../../src/agents/arrival.ts";
import { Enrolment } from "../../src/agents/enrolment.ts";
import { AgentHub, type HubServices } from "../../src/agents/hub.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { silentLog } from "../../src/kernel/log.ts";
import type { Reach } from "../../src/registers/tunnel.ts";
import type { Store } from "../../src/store/database.ts";
import { MemoryWire, type WireFault, type WireFrame } from "./agents-memory-socket.ts";
import { AgentPlayer, agentKeys } from "./agents-player.ts";
import { VirtualClock } from "./virtual-clock.ts";

export const AGENT_ACCOUNT = { appId: "00000000-0000-4000-8000-000000000001", accountId: "11111111-1111-4111-8111-111111111111" };
export const OTHER_ACCOUNT = { ...AGENT_ACCOUNT, accountId: "22222222-2222-4222-8222-222222222222" };

interface Shop {
  name: string;
  agent: string;
  privateKey: KeyObject;
}

/** The server's side of agents over connections in memory, on a virtual clock. */
export class AgentBench {
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly outcomes: ArrivalOutcome[] = [];
  readonly refused: string[] = [];
  /** The attempts whose operations have not ended. */
  readonly unfinished = new Set<string>();
  readonly enrolment: Enrolment;
  hub: AgentHub;
  readonly #options: Partial<HubServices>;

  private constructor(store: Store, options: Partial<HubServices>) {
    this.store = store;
    this.clock = new VirtualClock(Date.UTC(2026, 10, 29, 9));
    this.#options = options;
    this.enrolment = new Enrolment({ store, clock: this.clock, chance: systemChance });
    this.hub = this.#makeHub();
  }

  static async open(store: Store, options: Partial<HubServices> = {}): Promise<AgentBench> {
    const bench = new AgentBench(store, options);
    await bench.hub.open();
    return bench;
  }

  /** Starts the server again with the same database. */
  async restart(): Promise<void> {
    await this.hub.close();
    this.hub = this.#makeHub();
    await this.hub.open();
  }

  async enrol(name: string, key = AGENT_ACCOUNT, replace = false): Promise<Shop> {
    const issued = await this.enrolment.issue({ name, key, minutes: 15, replace, actor: OPERATOR });
    if (issued.kind !== "issued") throw new Error(issued.kind);
    const { publicKey, privateKey } = agentKeys();
    const enrolled = await this.enrolment.enrol({ code: issued.code, publicKey, version: "1", host: "shop" }, "192.0.2.1");
    if (enrolled.kind !== "enrolled") throw new Error(enrolled.kind);
    await this.hub.refresh(name);
    return { name, agent: enrolled.agent, privateKey };
  }

  /** Connects with a copy of the shop's agent. */
  dial(
    shop: Shop,
    copy: { epoch?: number; folder?: string; hello?: Record<string, unknown> } = {},
    faultOf?: (frame: WireFrame) => WireFault | undefined,
  ) {
    const wire = new MemoryWire(this.clock, faultOf);
    this.hub.take(wire.server, "192.0.2.1");
    return { wire, player: new AgentPlayer(wire.agent, { ...shop, ...copy }) };
  }

  /** Connects and waits until the connection is used. */
  async connect(shop: Shop, copy: { epoch?: number; folder?: string } = {}) {
    const { wire, player } = this.dial(shop, copy);
    const epoch = await player.connect();
    const reach = await this.used(shop.name, epoch);
    return { wire, player, epoch, connection: reach.connection };
  }

  /** Waits until the connection with this epoch is used. */
  async used(name: string, epoch: number): Promise<Extract<Reach, { kind: "connected" }>> {
    const reach = await this.hub.again(name, epoch - 1, deadlineIn(this.clock, 60_000));
    if (reach.kind === "away") throw new Error(reach.reason);
    return reach;
  }

  /** Waits until the hub has stored the state of its connections. */
  stored(): Promise<void> {
    return this.hub.stored();
  }

  in(ms: number) {
    return deadlineIn(this.clock, ms);
  }

  #makeHub(): AgentHub {
    return new AgentHub({
      store: this.store,
      clock: this.clock,
      chance: systemChance,
      log: silentLog,
      pingMs: 5_000,
      silenceMs: 12_000,
      limit: 100,
      zone: "Europe/Moscow",
      unfinishedAttempts: async () => this.unfinished,
      observe: {
        bytes: () => {},
        call: () => {},
        connect: (outcome) => this.outcomes.push(outcome),
        refused: (why) => this.refused.push(why),
        logDropped: () => {},
      },
      ...this.#options,
    });
  }
}
