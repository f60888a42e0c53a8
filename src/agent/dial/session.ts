import type { Clock } from "../../kernel/clock.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { messageOf } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { type AgentFrame, type Call, readServerFrame, type ServerFrame, type Welcome } from "../../registers/agent/wire/frames-schema.ts";
import { watchLife } from "../../registers/agent/wire/life.ts";
import { CLOSE, HELLO_LIMIT_MS, helloText, PROTOCOLS, STEP_LIMIT_MS } from "../../registers/agent/wire/protocol.ts";
import type { WireSocket } from "../../registers/agent/wire/wire-socket.ts";
import type { AgentKey } from "../folder/key.ts";
import type { LogTail } from "../log-tail.ts";
import type { AttemptRecord } from "../record.ts";
import type { AgentService, ServiceListener } from "../service/service.ts";
import { closeProblem, retryAfterMs } from "./problem.ts";

/** The identity of the agent, the same for all connections between one start of the agent and its end. */
interface Self {
  agent: string;
  server: string;
  boot: string;
  version: string;
  registers: readonly { name: string; scheme: string }[];
  key: AgentKey;
}

export interface SessionParts {
  clock: Clock;
  log: Log;
  logTail: LogTail;
  self: Self;
  record: AttemptRecord;
  service: AgentService;
  ready(epoch: number): void;
}

interface SessionEnd {
  code: number;
  problem: string;
  retryAfterMs: number;
  /** The time from `ready` to the end. 0: the connection was never ready. */
  livedMs: number;
}

const LOG_ROUND_MS = 1_000;
/** A larger difference between the clocks of the server and of this machine causes a warning, and nothing else. */
const CLOCK_OFF_MS = 60_000;

interface Closing {
  code: number;
  reason: string;
}

type Stage = "challenge" | "welcome" | "ready" | "closed";

/**
 * One connection to a server, in these stages. `challenge`: the agent waits for the server's first frame. `welcome`: the agent has sent its
 * hello and waits for the server's welcome, which contains the epoch, the number of this connection. `ready`: the epoch is stored, and
 * calls are answered. `closed`: nothing is sent any more. A running call continues after the end of the connection, but its answer is not
 * sent. A call that waits for the server's `go` gets no permission.
 */
export class Session implements ServiceListener {
  readonly #parts: SessionParts;
  readonly #socket: WireSocket;
  #stage: Stage = "challenge";
  #readyAtMs: number | undefined;
  #life: { alive(): void; end(): void } | undefined;
  #cancelLimit: () => void = () => {};
  #cancelLog: () => void = () => {};
  #cancelFarewell: () => void = () => {};
  readonly #calls = new Map<number, Permission>();
  readonly #answering = new Set<Promise<void>>();
  #closedBy: Closing | undefined;
  #end: (end: SessionEnd) => void = () => {};
  readonly ended: Promise<SessionEnd>;

  constructor(socket: WireSocket, parts: SessionParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    socket.listen({
      frame: (text) => this.#frame(text),
      alive: () => this.#life?.alive(),
      closed: (code, reason) => this.#closed(code, reason),
    });
    this.#limit();
  }

  /** Waits until the running calls are answered, then closes the connection. */
  async leave(): Promise<void> {
    await Promise.all(this.#answering);
    this.#close(CLOSE.normal, "the agent is ending");
  }

  seen(register: string, state: Parameters<ServiceListener["seen"]>[1]): void {
    this.#send({ seen: { register, state } });
  }

  #frame(text: string): void {
    if (this.#stage === "closed" || this.#closedBy !== undefined) return;
    const frame = readServerFrame(text);
    const refusal = frame === undefined ? { code: CLOSE.malformed, reason: "malformed frame" } : this.#take(frame);
    if (refusal !== undefined) this.#close(refusal.code, refusal.reason);
  }

  /** Returns why the connection must be closed, if it must. */
  #take(frame: ServerFrame): Closing | undefined {
    if ("challenge" in frame) return this.#challenged(frame);
    if ("welcome" in frame) return this.#welcomed(frame.welcome);
    if (this.#stage !== "ready") return { code: CLOSE.malformed, reason: "a call before the welcome" };
    if ("go" in frame) this.#calls.get(frame.go)?.give();
    else this.#begin(frame);
    return undefined;
  }

  #challenged({ challenge, server, protocol }: Extract<ServerFrame, { challenge: string }>): Closing | undefined {
    const { self, record } = this.#parts;
    if (this.#stage !== "challenge") return { code: CLOSE.malformed, reason: "a second challenge" };
    if (server !== self.server) return { code: CLOSE.otherServer, reason: `enrolled at ${self.server}`.slice(0, MAX_REASON) };
    const [from, to] = protocol;
    if (from > PROTOCOLS[1] || to < PROTOCOLS[0]) return { code: CLOSE.protocol, reason: `this agent speaks ${PROTOCOLS.join(" to ")}` };
    const { agent, boot, version, registers, key } = self;
    const { epoch, folder } = record;
    const signature = key.sign(helloText({ nonce: challenge, server, agent, epoch, folder, boot }));
    this.#stage = "welcome";
    this.#send({
      hello: { agent, server, epoch, folder, boot, version, protocol: [...PROTOCOLS], features: [], registers: [...registers], signature },
    });
    this.#limit();
    return undefined;
  }

  #welcomed({ epoch, protocol, pingMs, silenceMs, at }: Welcome): Closing | undefined {
    const { clock, log, record, service } = this.#parts;
    if (this.#stage !== "welcome") return { code: CLOSE.malformed, reason: "a welcome without a hello" };
    if (protocol < PROTOCOLS[0] || protocol > PROTOCOLS[1]) return { code: CLOSE.protocol, reason: `no protocol ${protocol}` };
    try {
      record.storeEpoch(epoch);
    } catch (error) {
      log.error({ reason: messageOf(error) }, "the epoch could not be stored, so the connection is not used");
      return { code: CLOSE.normal, reason: "the epoch could not be stored" };
    }
    this.#cancelLimit();
    this.#life = watchLife(this.#socket, { clock, pingMs, silenceMs }, () => this.#silent());
    this.#stage = "ready";
    this.#readyAtMs = clock.monotonicMs();
    this.#send({ ready: { epoch } });
    const offMs = Date.parse(at) - clock.nowMs();
    if (Math.abs(offMs) > CLOCK_OFF_MS) log.warn({ offMs }, "the clocks of the server and of this machine differ");
    service.connected(this);
    this.#sendLog();
    this.#parts.ready(epoch);
    return undefined;
  }

  #begin(call: Call | { call: number; do: string }): void {
    const answering = this.#call(call).finally(() => this.#answering.delete(answering));
    this.#answering.add(answering);
  }

  async #call(call: Call | { call: number; do: string }): Promise<void> {
    const number = call.call;
    // The frame repeats a running call. The one answer to this call serves both frames.
    if (this.#calls.has(number)) return;
    const permission = new Permission();
    this.#calls.set(number, permission);
    const answer = await this.#answerTo(call, permission);
    this.#calls.delete(number);
    this.#send(answer);
  }

  async #answerTo(call: Call | { call: number; do: string }, permission: Permission): Promise<AgentFrame> {
    const { call: number } = call;
    const { clock, log, service } = this.#parts;
    if (!("budgetMs" in call)) return { answer: number, failed: { code: "unknown-call", reason: `no call "${call.do}"` } };
    const steps = {
      accepted: () => void this.#send({ accepted: number }),
      go: () => permission.within(clock, STEP_LIMIT_MS),
    };
    try {
      const answer = await service.call(call, deadlineIn(clock, call.budgetMs), steps);
      if (answer.kind === "result") return { answer: number, result: answer.result };
      const { code, reason } = answer;
      return { answer: number, failed: { code, reason } };
    } catch (error) {
      log.error({ call: call.do, err: error }, "a call has failed");
      return { answer: number, failed: { code: "agent-failed", reason: messageOf(error).slice(0, MAX_FAILED_REASON) } };
    }
  }

  /** Sends queued log lines every second, unless the socket still has bytes to write. */
  #sendLog(): void {
    this.#cancelLog = this.#parts.clock.after(LOG_ROUND_MS, () => {
      const batch = this.#socket.waitingBytes === 0 ? this.#parts.logTail.take() : undefined;
      if (batch !== undefined) this.#send(batch);
      this.#sendLog();
    });
  }

  #send(frame: AgentFrame): boolean {
    return this.#stage !== "closed" && this.#socket.send(JSON.stringify(frame));
  }

  /** Closes the connection when the server's next frame of the handshake is late. */
  #limit(): void {
    this.#cancelLimit();
    this.#cancelLimit = this.#parts.clock.after(HELLO_LIMIT_MS, () => this.#close(CLOSE.silent, "no answer to the connection"));
  }

  #silent(): void {
    this.#closedBy ??= { code: CLOSE.silent, reason: "the server is silent" };
    this.#socket.close(CLOSE.silent, "silent");
    this.#socket.terminate();
  }

  #close(code: number, reason: string): void {
    this.#closedBy ??= { code, reason };
    this.#socket.close(code, reason);
    // A dead connection never confirms the close, so the wait for the confirmation is limited.
    this.#cancelFarewell();
    this.#cancelFarewell = this.#parts.clock.after(FAREWELL_MS, () => this.#socket.terminate());
  }

  #closed(code: number, reason: string): void {
    if (this.#stage === "closed") return;
    this.#stage = "closed";
    this.#cancelLimit();
    this.#cancelFarewell();
    this.#cancelLog();
    this.#life?.end();
    for (const permission of this.#calls.values()) permission.refuse();
    this.#parts.service.disconnected(this);
    const by = { ...(this.#closedBy ?? { code, reason }), byAgent: this.#closedBy !== undefined };
    const livedMs = this.#readyAtMs === undefined ? 0 : this.#parts.clock.monotonicMs() - this.#readyAtMs;
    this.#end({ code: by.code, problem: closeProblem(by), retryAfterMs: retryAfterMs(by.code, by.reason), livedMs });
  }
}

/** How long the server may take to confirm a close. Then the connection is terminated. */
const FAREWELL_MS = 1_000;
/** The limit of the close reason that contains the server's id, in characters. A close frame has room for 123 bytes. */
const MAX_REASON = 100;
const MAX_FAILED_REASON = 1_000;

/** The server's permission (`go`) to register the document of one call. It may come before the driver asks for it. */
class Permission {
  #given: boolean | undefined;
  #told: (given: boolean) => void = () => {};

  give(): void {
    this.#settle(true);
  }

  refuse(): void {
    this.#settle(false);
  }

  within(clock: Clock, limitMs: number): Promise<boolean> {
    if (this.#given !== undefined) return Promise.resolve(this.#given);
    return new Promise((resolve) => {
      const cancel = clock.after(limitMs, () => this.#settle(false));
      this.#told = (given) => {
        cancel();
        resolve(given);
      };
    });
  }

  #settle(given: boolean): void {
    if (this.#given !== undefined) return;
    this.#given = given;
    this.#told(given);
  }
}
