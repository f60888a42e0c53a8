import type { Chance, Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { type AgentFrame, type Hello, readAgentFrame } from "../registers/agent/wire/frames-schema.ts";
import { CLOSE, HELLO_LIMIT_MS, PROTOCOLS } from "../registers/agent/wire/protocol.ts";
import type { WireListener, WireSocket } from "../registers/agent/wire/wire-socket.ts";
import type { AgentRow } from "../store/agent-tables.ts";
import type { Store } from "../store/database.ts";
import { selectAgentById } from "./agent-queries.ts";
import { confirmEpoch, offerEpoch } from "./copies.ts";
import { sayFarewell } from "./farewell.ts";
import { provesHello } from "./identity.ts";
import type { FirstFrames } from "./strangers/first-frames.ts";

const NONCE_BYTES = 24;
/** How long the agent may take from `welcome` to `ready`. In between the agent stores its epoch, on a disk that may be slow. */
const READY_LIMIT_MS = 15_000;

export type ArrivalOutcome = "ready" | "broken-off" | "fault" | Exclude<keyof typeof CLOSE, "normal">;

export interface ArrivalServices {
  store: Pick<Store, "commit" | "read">;
  clock: Clock;
  chance: Chance;
  log: Log;
  server: string;
  pingMs: number;
  silenceMs: number;
  /**
   * Runs work for an agent after the agent's earlier work has ended. So the work of a closed connection ends before the work of the next
   * connection.
   */
  inTurn<T>(agent: string, work: () => Promise<T>): Promise<T>;
  /** The queue of the first frames of all connections whose agent has not proved its key. */
  firstFrames: Pick<FirstFrames, "add">;
}

/** An agent that has proved its key and stored its epoch. */
export interface ArrivedAgent {
  row: AgentRow;
  epoch: number;
  hello: Hello;
  socket: WireSocket;
  /** The time from the challenge to the hello. */
  rttMs: number;
}

type Welcomed = Omit<ArrivedAgent, "socket">;

interface ArrivalHost {
  proved(): void;
  /** Called when the agent has stored its epoch. The returned listener may get frames before `confirmed`. */
  ready(agent: ArrivedAgent): WireListener;
  /** Called when the server has stored the epoch too. The agent's connection is in use from then on. */
  confirmed(): void;
  /** Called when the agent was refused as another copy. */
  forked(name: string): void;
  /**
   * Called once, when the handshake ends. `ready`: the connection is in use. `broken-off`: the connection closed during the handshake.
   * `fault`: an error in this server. Every other outcome is the name of a close code, after a refusal.
   */
  over(outcome: ArrivalOutcome): void;
  bytes(direction: "in" | "out", bytes: number): void;
}

/**
 * The handshake of a connection. The server sends a challenge and waits for the hello. It checks the server's id in the hello, the key, the
 * revocation, the protocol, and which copy of the agent has connected (`copies.ts`). It offers the next epoch in its welcome, waits for
 * `ready` and stores the epoch. Every refusal ends the connection with a close code.
 */
export class Arrival implements WireListener {
  readonly #services: ArrivalServices;
  readonly #socket: WireSocket;
  readonly #host: ArrivalHost;
  readonly #nonce: string;
  readonly #sinceMs: number;
  #step: { kind: "hello" | "checking" | "over" } | ({ kind: "welcomed" } & Welcomed) = { kind: "hello" };
  #next: WireListener | undefined;
  #cancelLimit: () => void;
  #cancelFarewell = () => {};

  constructor(services: ArrivalServices, socket: WireSocket, host: ArrivalHost) {
    this.#services = services;
    this.#socket = socket;
    this.#host = host;
    this.#nonce = services.chance.bytes(NONCE_BYTES).toString("base64url");
    this.#sinceMs = services.clock.monotonicMs();
    socket.listen(this);
    this.#send({ challenge: this.#nonce, server: services.server, protocol: PROTOCOLS });
    this.#cancelLimit = services.clock.after(HELLO_LIMIT_MS, () => this.refuse("silent", "no hello"));
  }

  /** Ends the handshake with a close code. Does nothing after the handshake. */
  refuse(why: Exclude<ArrivalOutcome, "ready" | "broken-off" | "fault">, reason: string): void {
    if (this.#step.kind === "over") return;
    this.#cancelFarewell = sayFarewell(this.#services.clock, this.#socket, CLOSE[why], reason);
    this.#end(why);
  }

  frame(text: string): void {
    if (this.#next !== undefined) {
      this.#next.frame(text);
      return;
    }
    this.#host.bytes("in", Buffer.byteLength(text));
    if (this.#step.kind === "over") return;
    if (this.#step.kind === "hello") {
      this.#step = { kind: "checking" };
      this.#cancelLimit();
      this.#services.firstFrames.add(() => this.#work(() => this.#checkFirst(text)));
      return;
    }
    const frame = readAgentFrame(text);
    if (frame === undefined) this.refuse("malformed", "no frame of this wire");
    else this.#take(frame);
  }

  alive(): void {
    this.#next?.alive();
  }

  closed(code: number, reason: string): void {
    this.#cancelFarewell();
    this.#next?.closed(code, reason);
    if (this.#step.kind !== "over") this.#end("broken-off");
  }

  #take(frame: AgentFrame): void {
    const step = this.#step;
    if (step.kind === "welcomed" && "ready" in frame && frame.ready.epoch === step.epoch) this.#ready(step);
    // A second hello during the handshake is ignored.
    else if (!("hello" in frame)) this.refuse("malformed", "this frame comes too early");
  }

  async #checkFirst(text: string): Promise<void> {
    // The connection may have ended while its frame waited.
    if (this.#step.kind !== "checking") return;
    const frame = readAgentFrame(text);
    if (frame === undefined) this.refuse("malformed", "no frame of this wire");
    else if ("hello" in frame) await this.#check(frame.hello);
    else this.refuse("malformed", "this frame comes too early");
  }

  async #check(hello: Hello): Promise<void> {
    const { store, clock, inTurn } = this.#services;
    const rttMs = clock.monotonicMs() - this.#sinceMs;
    if (hello.server !== this.#services.server) return this.refuse("otherServer", "enrolled at another server");
    const row = await store.read((db) => selectAgentById(db, hello.agent));
    if (row === undefined || !provesHello(row.public_key, { ...hello, nonce: this.#nonce }, hello.signature)) {
      return this.refuse("unknown", "unknown agent or wrong signature");
    }
    this.#host.proved();
    if (row.revoked_at_ms !== null) return this.refuse("revoked", "revoked");
    const protocol = Math.min(PROTOCOLS[1], hello.protocol[1]);
    if (protocol < PROTOCOLS[0] || protocol < hello.protocol[0])
      return this.refuse("protocol", `this server speaks ${PROTOCOLS.join(" to ")}`);
    const offered = await inTurn(hello.agent, async () =>
      this.#step.kind === "checking" ? await offerEpoch({ store, clock }, hello, protocol) : ({ kind: "gone" } as const),
    );
    if (offered.kind === "gone") return this.refuse("unknown", "unknown agent or wrong signature");
    if (offered.kind === "forked") return this.#forked(row.name);
    this.#welcome({ row, epoch: offered.epoch, hello, rttMs }, protocol);
  }

  #welcome(agent: Welcomed, protocol: number): void {
    // The connection may have ended during the check.
    if (this.#step.kind !== "checking") return;
    const { clock, pingMs, silenceMs } = this.#services;
    this.#step = { kind: "welcomed", ...agent };
    this.#cancelLimit();
    this.#cancelLimit = clock.after(READY_LIMIT_MS, () => this.refuse("silent", "no ready"));
    this.#send({ welcome: { epoch: agent.epoch, protocol, pingMs, silenceMs, at: new Date(clock.nowMs()).toISOString() } });
  }

  #ready({ row, epoch, hello, rttMs }: Welcomed): void {
    this.#step = { kind: "checking" };
    this.#cancelLimit();
    const next = this.#host.ready({ row, epoch, hello, socket: this.#socket, rttMs });
    this.#next = next;
    void this.#work(async () => {
      const { store, inTurn } = this.#services;
      const confirmed = await inTurn(hello.agent, () => confirmEpoch({ store }, hello, epoch));
      if (this.#step.kind !== "checking") return;
      if (confirmed === "overtaken") return this.refuse("forked", "a newer connection of this agent is used");
      if (confirmed !== "confirmed") return this.refuse(confirmed, "no agent of this server any more");
      this.#end("ready");
      // The connection now gets its frames directly. It may live for months, so this object is released.
      this.#socket.listen(next);
      this.#host.confirmed();
    });
  }

  #forked(name: string): void {
    this.#host.forked(name);
    this.refuse("forked", "another copy of this agent");
  }

  /** Never rejects. */
  #work(work: () => Promise<void>): Promise<void> {
    return work().catch((error: unknown) => {
      const { log } = this.#services;
      if (this.#step.kind === "over") {
        log.debug({ reason: messageOf(error) }, "the connection of an agent ended before it was used");
        return;
      }
      log.error({ reason: messageOf(error) }, "an agent could not be connected");
      this.#socket.terminate();
      this.#end("fault");
    });
  }

  #end(outcome: ArrivalOutcome): void {
    this.#step = { kind: "over" };
    this.#cancelLimit();
    this.#host.over(outcome);
  }

  #send(frame: object): void {
    const text = JSON.stringify(frame);
    if (this.#socket.send(text)) this.#host.bytes("out", Buffer.byteLength(text));
  }
}
