import type { Deadline } from "../kernel/deadline.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import { CLOSE } from "../registers/agent/wire/protocol.ts";
import type { WireListener, WireSocket } from "../registers/agent/wire/wire-socket.ts";
import type { Reach, Tunnel } from "../registers/tunnel.ts";
import type { Store } from "../store/database.ts";
import { registerAddress } from "./address.ts";
import { connectTo, disconnectAll, disconnectFrom, selectAgent, updateAgent } from "./agent-queries.ts";
import { Arrival, type ArrivalOutcome, type ArrivalServices, type ArrivedAgent } from "./arrival.ts";
import { AgentConnection, type ConnectionObserver, type ConnectionServices } from "./connection.ts";
import { CROWDED_REASON, leavingReason, turnAway } from "./farewell.ts";
import { type AgentView, HeldAgent, viewOf } from "./held-agent.ts";
import { countStart, type ServerIdentity } from "./identity.ts";
import { agentsInSteps } from "./listed-agents.ts";
import { Journeys } from "./moving/journeys.ts";
import { Waiters } from "./moving/waiters.ts";
import { compareDevice, isSame, keepRegisters, type SeenDevice } from "./pins.ts";
import { type SettlingServices, settleAttempts } from "./settling.ts";
import { StoredStates } from "./stored-states.ts";
import { FirstFrames } from "./strangers/first-frames.ts";
import { Strangers } from "./strangers/strangers.ts";
import { Turns } from "./turns.ts";
import {
  agentAway,
  connectedElsewhere,
  needsServer,
  neverConnected,
  otherDevice,
  revokedAgent,
  serverLeaving,
  unknownAgent,
} from "./words.ts";

export interface HubServices
  extends Omit<ArrivalServices, "server" | "inTurn" | "firstFrames">,
    Omit<ConnectionServices, "fenceOf">,
    SettlingServices {
  store: Pick<Store, "commit" | "read">;
  observe: ConnectionObserver & {
    connect(outcome: ArrivalOutcome): void;
    refused(why: "away" | "other-device"): void;
    logDropped(lines: number): void;
  };
  /** The limit of connections, whether or not their agents have proved their keys. */
  limit: number;
  /** The zone of times in messages for people. */
  zone: string;
  /** Returns the fencing token of a call (`ConnectionServices.fenceOf`). Absent: the token is the number of this start. */
  fenceOf?: ConnectionServices["fenceOf"];
  /** The id of this process. Absent: there is one process only. */
  process?: string;
}

/** The agents' connections to this process. */
export class AgentHub implements Tunnel {
  readonly #services: HubServices;
  readonly #agents = new Map<string, HeldAgent>();
  readonly #strangers = new Strangers<Arrival>((oldest) => oldest.refuse("tooMany", CROWDED_REASON));
  readonly #turns = new Turns();
  readonly #firstFrames = new FirstFrames();
  readonly #arrivals = new Set<Arrival>();
  readonly #connections = new Set<AgentConnection>();
  /** Calls that wait for a newer connection of an agent. */
  readonly #waiting: Waiters;
  readonly #journeys: Journeys;
  /** The last admitted device of each register of each agent. */
  readonly #admitted = new Map<string, SeenDevice>();
  /** The process of each connected agent, as last read from the database. */
  #places: Readonly<Record<string, string>> = {};
  readonly #states = new StoredStates();
  /** Undefined before `open`, which a command's process never calls. */
  #identity: ServerIdentity | undefined;
  readonly #ofConnections: ConnectionServices;
  #leaving = false;
  /** Whether other processes go on serving while this process stops. */
  #othersServe = false;

  constructor(services: HubServices) {
    this.#services = services;
    this.#waiting = new Waiters(services.clock);
    this.#journeys = new Journeys(services.clock);
    const { clock, log, pingMs, silenceMs, observe, fenceOf = () => this.#opened().startNumber } = services;
    this.#ofConnections = { clock, log, pingMs, silenceMs, observe, fenceOf };
  }

  /** Counts the start, marks agents as disconnected (`disconnectAll`), and reads all agents. Call it before the first connection. */
  async open(): Promise<void> {
    const { store, clock } = this.#services;
    this.#identity = await countStart(this.#services);
    await store.commit((tx) => disconnectAll(tx, clock.nowMs(), this.#services.process !== undefined));
    for await (const agents of agentsInSteps(store)) for (const row of agents) this.#agents.set(row.name, new HeldAgent(row));
  }

  /** The id of this server. Throws a `Failure` of kind `fault` before `open`. */
  get serverId(): string {
    return this.#opened().id;
  }

  get connected(): number {
    return this.here.length;
  }

  held(name: string): HeldAgent | undefined {
    return this.#agents.get(name);
  }

  /** Where the agent is connected, as far as this process knows: to this process, to another process, or to none. */
  placeOf(name: string): "here" | "elsewhere" | "nowhere" {
    if (this.#agents.get(name)?.connection !== undefined) return "here";
    const place = this.#places[name];
    return place === undefined || place === this.#services.process ? "nowhere" : "elsewhere";
  }

  get here(): string[] {
    return [...this.#agents].flatMap(([name, { connection }]) => (connection === undefined ? [] : [name]));
  }

  /** Resolves when the agent is not moving between processes, at most 5 s after it was told to dial again or its process has ended. */
  arrived(name: string): Promise<void> {
    return this.#journeys.awaited(name);
  }

  /** Returns the views of the agents that are connected to this process. */
  views(): Record<string, AgentView> {
    const views: Record<string, AgentView> = {};
    for (const [name, held] of this.#agents) {
      const view = viewOf(held);
      if (view !== undefined) views[name] = view;
    }
    return views;
  }

  /** Takes an upgraded connection or refuses it. `source`: the caller's network. `trust` is called when the agent has proved its key. */
  take(socket: WireSocket, source: string, trust: () => void = () => {}): void {
    if (this.#leaving) {
      turnAway(this.#services.clock, socket, CLOSE.leaving, this.#leavingReason());
      return;
    }
    if (this.#arrivals.size + this.#connections.size >= this.#services.limit) {
      this.#services.observe.connect("tooMany");
      turnAway(this.#services.clock, socket, CLOSE.tooMany, CROWDED_REASON);
      return;
    }
    const { observe } = this.#services;
    let use = () => {};
    const arrival: Arrival = new Arrival(
      { ...this.#services, server: this.serverId, firstFrames: this.#firstFrames, inTurn: (...turn) => this.#turns.take(...turn) },
      socket,
      {
        proved: () => {
          this.#strangers.delete(arrival);
          trust();
        },
        ready: (agent) => {
          const made = this.#made(agent);
          use = () => this.#use(made, agent);
          return made;
        },
        confirmed: () => use(),
        forked: (name) => this.#noteFork(name),
        over: (outcome) => {
          this.#arrivals.delete(arrival);
          this.#strangers.delete(arrival);
          observe.connect(outcome);
        },
        bytes: (direction, bytes) => observe.bytes(direction, bytes),
      },
    );
    this.#arrivals.add(arrival);
    this.#strangers.add(arrival, source);
  }

  reach(agent: string): Reach {
    const held = this.#agents.get(agent);
    if (held?.connection !== undefined) return { kind: "connected", connection: held.connection };
    this.#services.observe.refused("away");
    return { kind: "away", reason: this.#awayReason(agent, held) };
  }

  async again(agent: string, epoch: number, deadline: Deadline): Promise<Reach> {
    const newer = () => {
      const connection = this.#agents.get(agent)?.connection;
      return connection !== undefined && connection.epoch > epoch ? connection : undefined;
    };
    // An agent that has dialled another process does not come back, so the wait ends. Its register will move to that process too.
    const mayCome = () => deadline.remainingMs() > 0 && !this.#leaving && this.placeOf(agent) !== "elsewhere";
    while (newer() === undefined && mayCome()) await this.#waiting.wait(agent, deadline.remainingMs());
    const connection = newer();
    return connection === undefined
      ? { kind: "away", reason: this.#awayReason(agent, this.#agents.get(agent)) }
      : { kind: "connected", connection };
  }

  async admit(name: string, register: string, device: SeenDevice): Promise<string | undefined> {
    const key = `${name}/${register}`;
    const admitted = this.#admitted.get(key);
    if (admitted !== undefined && isSame(admitted, device)) return undefined;
    const compared = await compareDevice(this.#services.store, { name, register }, device);
    if (compared.kind === "same") {
      this.#admitted.set(key, { serialNumber: device.serialNumber, driveNumber: device.driveNumber });
      return undefined;
    }
    this.#services.observe.refused("other-device");
    return otherDevice({ name, register }, compared.pinned, device);
  }

  /** Reads an agent again after a change, perhaps by another process. Ends a connection that is no longer allowed. */
  async refresh(name: string): Promise<void> {
    const { process, store } = this.#services;
    const row = await store.read((db) => selectAgent(db, name));
    for (const key of this.#admitted.keys()) if (key.startsWith(`${name}/`)) this.#admitted.delete(key);
    if (row === undefined) return;
    const held = this.#agents.get(name) ?? new HeldAgent(row);
    this.#agents.set(name, held);
    held.row = row;
    const { connection } = held;
    if (connection === undefined) {
      if (process !== undefined) held.sinceMs = row.since_ms ?? undefined;
      return;
    }
    if (row.revoked_at_ms !== null) connection.end(CLOSE.revoked, "revoked");
    else if (row.agent_id !== connection.hello.agent) connection.end(CLOSE.unknown, "another agent was enrolled in its place");
    else if (process !== undefined && row.process !== null && row.process !== process)
      connection.end(CLOSE.normal, "a newer connection is used");
    else if (row.epoch !== connection.epoch || row.folder !== connection.folder) connection.end(CLOSE.forked, "another copy was accepted");
  }

  /**
   * Updates `places`, the process of each connected agent. If an agent is connected here but `places` says otherwise, the agent is read
   * again: another process has changed the agent's row, or has a newer connection of the agent. `keeps`: whether a process keeps its
   * agents. A process that stops, is drained or was lost does not keep them.
   */
  follow(places: Readonly<Record<string, string>>, keeps: (process: string) => boolean): void {
    const { process, log } = this.#services;
    this.#journeys.follow(this.#places, places, { keeps, process });
    this.#places = places;
    this.#waiting.wakeAll();
    const stale = [...this.#connections].filter(
      (one) => places[one.name] !== process && !this.#states.has(one.name) && this.#agents.get(one.name)?.connection === one,
    );
    const failed = (agent: string) => (reason: string) => log.warn({ agent, reason }, "an agent could not be read anew");
    this.#states.anew(
      stale.map(({ name }) => name),
      (name) => this.#states.store(name, () => this.#readAnew(name), failed(name)),
    );
  }

  /**
   * Moves an agent of this process to another process by telling it to dial again. `rest` first ends the work at the agent's registers. If
   * `rest` rejects, the agent dials again too, and this method rejects. New work waits until the agent is connected again, or until the
   * wait is over (`arrived`). Resolves when the end of the connection is stored.
   */
  async sendOn(name: string, rest: (registers: readonly string[]) => Promise<unknown>): Promise<void> {
    const connection = this.#agents.get(name)?.connection;
    if (connection === undefined) return;
    this.#journeys.begin(name);
    try {
      await rest(connection.hello.registers.map((register) => registerAddress(name, register.name)));
    } finally {
      this.#journeys.sent(name);
      connection.end(CLOSE.leaving, leavingReason(this.#services.chance, true));
    }
    await this.#states.of(name);
  }

  /** Refuses new connections, because other processes accept them. Open connections stay until `sendOn` moves each agent. */
  leaveToOthers(): void {
    this.#leaving = true;
    this.#othersServe = true;
    for (const arrival of [...this.#arrivals]) arrival.refuse("leaving", this.#leavingReason());
    this.#waiting.wakeAll();
  }

  /** Refuses new connections and ends the open connections. Resolves when the end of every connection is stored. */
  async close(): Promise<void> {
    this.#leaving = true;
    for (const arrival of [...this.#arrivals]) arrival.refuse("leaving", this.#leavingReason());
    for (const connection of [...this.#connections]) connection.end(CLOSE.leaving, this.#leavingReason());
    this.#waiting.wakeAll();
    if (!this.#othersServe) this.#journeys.allOver();
    await this.stored();
  }

  async stored(): Promise<void> {
    await this.#states.done();
  }

  #made(agent: ArrivedAgent): AgentConnection & WireListener {
    const { name } = agent.row;
    const owner = {
      seen: (register: string, state: Parameters<HeldAgent["noteSeen"]>[1]) => this.#agents.get(name)?.noteSeen(register, state),
      logged: (lines: readonly string[], dropped: number) => {
        this.#agents.get(name)?.log.add(lines);
        if (dropped > 0) this.#services.observe.logDropped(dropped);
      },
      ended: (code: number, reason: string) => this.#ended(connection, code, reason),
    };
    const connection: AgentConnection = new AgentConnection(this.#ofConnections, { ...agent, name, owner });
    this.#connections.add(connection);
    return connection;
  }

  /** Makes an open connection the agent's current connection and closes the earlier one. A leaving process closes the new one instead. */
  #use(connection: AgentConnection, agent: ArrivedAgent): void {
    const { name } = connection;
    if (this.#leaving) connection.end(CLOSE.leaving, this.#leavingReason());
    if (!connection.isOpen) return;
    const held = this.#heldBy(agent);
    const before = held.connection;
    held.connection = connection;
    held.sinceMs = this.#services.clock.nowMs();
    held.rttMs = agent.rttMs;
    before?.end(CLOSE.normal, "a newer connection is used");
    this.#keepPresence(held);
    this.#journeys.over(name);
    this.#waiting.wake(name);
    this.#services.log.info({ agent: name, epoch: connection.epoch, version: connection.hello.version }, "an agent is connected");
    held.stopSettling();
    held.stopSettling = settleAttempts(this.#services, connection, {
      asked: ({ rttMs, unfinished }) => Object.assign(held, { rttMs, unfinished }),
    });
  }

  #heldBy({ row, epoch, hello }: ArrivedAgent): HeldAgent {
    const known = this.#agents.get(row.name);
    const held = known?.row.agent_id === row.agent_id ? known : new HeldAgent(row);
    this.#agents.set(row.name, held);
    held.row = { ...held.row, folder: hello.folder, epoch, offered_epoch: null, version: hello.version };
    return held;
  }

  #ended(connection: AgentConnection, code: number, reason: string): void {
    this.#connections.delete(connection);
    const held = this.#agents.get(connection.name);
    if (held?.connection !== connection) return;
    held.stopSettling();
    held.connection = undefined;
    held.sinceMs = this.#services.clock.nowMs();
    held.rttMs = undefined;
    this.#services.log.warn({ agent: connection.name, code, reason }, "an agent is away");
    this.#keepPresence(held);
  }

  #noteFork(name: string): void {
    this.#services.log.error({ agent: name }, "another copy of an agent wants to connect: it is refused until `agents accept`");
    this.refresh(name).catch((error: unknown) =>
      this.#services.log.warn({ agent: name, reason: messageOf(error) }, "an agent could not be read"),
    );
  }

  /** Stores whether and since when an agent is connected. Changes of one agent are stored in the order of the calls. */
  #keepPresence(held: HeldAgent): void {
    const { store, log, process } = this.#services;
    const { name } = held.row;
    const connection = held.connection;
    const since_ms = held.sinceMs ?? null;
    const keep = async (): Promise<void> => {
      if (connection === undefined) {
        await store.commit(async (tx) => {
          if (process === undefined) await updateAgent(tx, held.row, { connected: 0, since_ms, process: null });
          else await disconnectFrom(tx, held.row, { process, since_ms });
        }, "behind");
        return;
      }
      const place = { process: process ?? null, since_ms };
      const counts = await store.commit((tx) => connectTo(tx, { ...held.row, epoch: connection.epoch }, place), "behind");
      if (counts) await keepRegisters(store, name, connection.hello.registers);
      else if (process !== undefined) await this.refresh(name);
    };
    void this.#states.store(name, keep, (reason) => log.warn({ agent: name, reason }, "the state of an agent could not be stored"));
  }

  /** Reads an agent again. Stores its connection again if the connection is still allowed. */
  async #readAnew(name: string): Promise<void> {
    await this.refresh(name);
    const held = this.#agents.get(name);
    if (held?.connection !== undefined) this.#keepPresence(held);
  }

  #awayReason(name: string, held: HeldAgent | undefined): string {
    if (this.#identity === undefined) return needsServer(name);
    if (this.#leaving) return serverLeaving();
    if (this.placeOf(name) === "elsewhere") return connectedElsewhere(name);
    if (held === undefined) return unknownAgent(name);
    if (held.row.revoked_at_ms !== null) return revokedAgent(name);
    return held.row.folder === null && held.sinceMs === undefined
      ? neverConnected(name)
      : agentAway(name, held.sinceMs, this.#services.zone);
  }

  #opened(): ServerIdentity {
    if (this.#identity === undefined) throw new Failure("agents-not-open", "fault", "the agents' hub was used before it was opened");
    return this.#identity;
  }

  #leavingReason(): string {
    return leavingReason(this.#services.chance, this.#othersServe);
  }
}
