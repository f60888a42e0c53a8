import type { Clock } from "../kernel/clock.ts";
import type { Deadline } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { type AgentFrame, type Hello, readAgentFrame } from "../registers/agent/wire/frames-schema.ts";
import { watchLife } from "../registers/agent/wire/life.ts";
import { CLOSE, MAX_FRAME_BYTES } from "../registers/agent/wire/protocol.ts";
import type { WireListener, WireSocket } from "../registers/agent/wire/wire-socket.ts";
import type { PendingCall, TunnelCall, TunnelConnection } from "../registers/tunnel.ts";
import { registerAddress } from "./address.ts";
import { sayFarewell } from "./farewell.ts";
import { type CallEnd, OpenCall } from "./open-call.ts";
import { connectionEnded } from "./words.ts";

export interface ConnectionServices {
  clock: Clock;
  log: Log;
  pingMs: number;
  silenceMs: number;
  /**
   * Returns the fencing token for a call. `register`: the register's canonical address. A register's token never decreases. Undefined:
   * another process may hold the register, and the call must not be made.
   */
  fenceOf(register: string, call: TunnelCall["do"]): number | undefined;
  observe: ConnectionObserver;
}

export interface ConnectionObserver {
  bytes(direction: "in" | "out", bytes: number): void;
  call(call: string, end: CallEnd, durationMs: number): void;
}

/** Receives the agent's messages that answer no call, and the end of the connection. */
interface ConnectionOwner {
  seen(register: string, state: Extract<AgentFrame, { seen: unknown }>["seen"]["state"]): void;
  logged(lines: readonly string[], dropped: number): void;
  /** Called once. */
  ended(code: number, reason: string): void;
}

/** An agent's connection, from the `ready` of its handshake on. */
export class AgentConnection implements TunnelConnection, WireListener {
  readonly name: string;
  readonly epoch: number;
  readonly folder: string;
  readonly hello: Hello;
  readonly #socket: WireSocket;
  readonly #services: ConnectionServices;
  readonly #owner: ConnectionOwner;
  readonly #life: { alive(): void; end(): void };
  readonly #calls = new Map<number, OpenCall>();
  readonly #performing = new Set<string>();
  #count = 0;
  #ended = false;
  #cancelFarewell = () => {};

  constructor(
    services: ConnectionServices,
    { name, epoch, hello, socket, owner }: { name: string; epoch: number; hello: Hello; socket: WireSocket; owner: ConnectionOwner },
  ) {
    this.name = name;
    this.epoch = epoch;
    this.folder = hello.folder;
    this.hello = hello;
    this.#socket = socket;
    this.#services = services;
    this.#owner = owner;
    const { clock, pingMs, silenceMs } = services;
    this.#life = watchLife(socket, { clock, pingMs, silenceMs }, () => this.end(CLOSE.silent, "silent"));
  }

  get isOpen(): boolean {
    return !this.#ended;
  }

  call(call: TunnelCall, deadline: Deadline): PendingCall {
    const number = ++this.#count;
    const around = this.#around(call, deadline);
    const open = new OpenCall(this.#services.clock, deadline, { isPerform: call.do === "perform", go: () => this.#send({ go: number }) });
    this.#observe(call, open);
    if (this.#ended) open.lost(connectionEnded());
    else if (call.do === "perform" && this.#performing.has(call.register))
      open.failed("busy", "another document is being made at this register");
    else if (around === undefined) open.failed("fenced", "another process may have this register");
    else this.#begin(number, open, { ...call, ...around }, call.do === "perform" ? call.register : undefined);
    return open;
  }

  malformed(reason: string): void {
    this.#services.log.warn({ agent: this.name, reason }, "an agent sends what nobody can read; its connection is closed");
    this.end(CLOSE.malformed, reason);
  }

  /** Closes the connection. Open calls end as lost. Safe to repeat. */
  end(code: number, reason: string): void {
    if (this.#ended) return;
    this.#cancelFarewell = sayFarewell(this.#services.clock, this.#socket, code, reason);
    this.#over(code, reason);
  }

  frame(text: string): void {
    this.#services.observe.bytes("in", Buffer.byteLength(text));
    if (this.#ended) return;
    const frame = readAgentFrame(text);
    if (frame === undefined) this.malformed("no frame of this wire");
    else this.#take(frame);
  }

  alive(): void {
    this.#life.alive();
  }

  closed(code: number, reason: string): void {
    this.#cancelFarewell();
    this.#over(code, reason);
  }

  #begin(number: number, open: OpenCall, call: object, performs: string | undefined): void {
    const text = JSON.stringify({ call: number, ...call });
    if (Buffer.byteLength(text) > MAX_FRAME_BYTES) {
      open.failed("too-long", "the document is longer than a frame may be");
      return;
    }
    this.#calls.set(number, open);
    if (performs !== undefined) this.#performing.add(performs);
    void open.answered.then(() => {
      this.#calls.delete(number);
      if (performs !== undefined) this.#performing.delete(performs);
    });
    if (!this.#sendText(text)) open.lost(connectionEnded());
  }

  /** Returns the time budget and the fencing token of a call; a log call has no token. Undefined: the call must not be made. */
  #around(call: TunnelCall, deadline: Deadline): object | undefined {
    const budgetMs = Math.ceil(deadline.remainingMs());
    if (call.do === "log") return { budgetMs };
    const fence = this.#services.fenceOf(registerAddress(this.name, call.register), call.do);
    return fence === undefined ? undefined : { fence, budgetMs };
  }

  #take(frame: AgentFrame): void {
    if ("answer" in frame) this.#answer(frame);
    // An `accepted` or an answer with an unknown number belongs to a call that has ended, for example by its deadline.
    else if ("accepted" in frame) this.#calls.get(frame.accepted)?.accept();
    else if ("seen" in frame) this.#owner.seen(frame.seen.register, frame.seen.state);
    else if ("log" in frame) this.#owner.logged(frame.log, frame.dropped ?? 0);
    else if ("hello" in frame) this.malformed("a second hello");
    // The remaining frame is a second `ready`. It is ignored.
  }

  #answer(frame: Extract<AgentFrame, { answer: number }>): void {
    const call = this.#calls.get(frame.answer);
    if (call === undefined) return;
    if ("failed" in frame) call.failed(frame.failed.code, frame.failed.reason);
    else call.result(frame.result);
  }

  #over(code: number, reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#life.end();
    for (const call of [...this.#calls.values()]) call.lost(connectionEnded());
    this.#owner.ended(code, reason);
  }

  #send(frame: object): boolean {
    return !this.#ended && this.#sendText(JSON.stringify(frame));
  }

  #sendText(text: string): boolean {
    if (!this.#socket.send(text)) return false;
    this.#services.observe.bytes("out", Buffer.byteLength(text));
    return true;
  }

  #observe(call: TunnelCall, open: OpenCall): void {
    const { clock, observe, log } = this.#services;
    const begunMs = clock.monotonicMs();
    open.answered.then(
      (answered) => observe.call(call.do, answered, clock.monotonicMs() - begunMs),
      (error: unknown) => log.error({ reason: messageOf(error) }, "a call to an agent failed inside the server"),
    );
  }
}
