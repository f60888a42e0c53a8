import type { Clock } from "../../kernel/clock.ts";
import { type Deadline, deadlineIn, waitUntil } from "../../kernel/deadline.ts";
import type { Failure } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import type { Call } from "../../registers/agent/wire/frames-schema.ts";
import type { Reached, RegisterState } from "../../registers/register.ts";
import type { LogTail } from "../log-tail.ts";
import type { AttemptRecord } from "../record.ts";
import { InnerRegister, type InnerServices, type NamedRegister } from "./inner-register.ts";
import { RegisterService } from "./register-service.ts";
import { failed, type Result, resultOf, type Steps } from "./result.ts";

interface ServiceParts {
  clock: Clock;
  log: Log;
  logTail: LogTail;
  record: AttemptRecord;
  registers: readonly NamedRegister[];
  inner: InnerServices;
  /** Called when the data folder or the record is gone, perhaps several times. The process must end. */
  gone(failure: Failure): void;
}

export interface RegisterView {
  name: string;
  scheme: string;
  serialNumber?: string;
  driveNumber?: string;
  state: "not-seen" | "ready" | "unreachable";
}

/** Receives the states of registers while a connection is in use. */
export interface ServiceListener {
  seen(register: string, state: Reached<RegisterState>): void;
}

/** How long the registers may take to close when the process ends. */
const CLOSE_LIMIT_MS = 1_000;

/** Answers the server's calls. One object serves all connections of this process. */
export class AgentService {
  readonly #parts: ServiceParts;
  readonly #registers: ReadonlyMap<string, { named: NamedRegister; inner: InnerRegister; service: RegisterService }>;
  #listener: ServiceListener | undefined;
  #leaving = false;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    const { clock, log, record, gone } = parts;
    this.#registers = new Map(
      parts.registers.map((named) => {
        const inner = new InnerRegister(named, parts.inner);
        const seen = (state: Reached<RegisterState>) => this.#listener?.seen(named.name, state);
        return [named.name, { named, inner, service: new RegisterService(named.name, inner, { clock, log, record, seen, gone }) }];
      }),
    );
  }

  /** Reports to this listener from now on. */
  connected(listener: ServiceListener): void {
    this.#listener = listener;
    for (const { service } of this.#registers.values()) service.connected();
  }

  disconnected(listener: ServiceListener): void {
    if (this.#listener !== listener) return;
    this.#listener = undefined;
    for (const { service } of this.#registers.values()) service.disconnected();
  }

  async call(call: Call, deadline: Deadline, steps: Steps): Promise<Result> {
    if (this.#leaving) return failed("leaving", "the agent is ending");
    if (call.do === "log") return resultOf({ lines: this.#parts.logTail.newest(call.lines) });
    const found = this.#registers.get(call.register);
    if (found === undefined) return failed("unknown-register", `this agent has no register "${call.register}"`);
    return found.service.call(call, deadline, steps);
  }

  views(): RegisterView[] {
    return [...this.#registers.values()].map(({ named, inner, service }) => {
      const { serialNumber, driveNumber } = inner.identityKnown ?? {};
      const state = service.state === undefined ? "not-seen" : service.state.kind === "reached" ? "ready" : "unreachable";
      const numbers = serialNumber === undefined || driveNumber === undefined ? {} : { serialNumber, driveNumber };
      return { name: named.name, scheme: schemeOf(named), ...numbers, state };
    });
  }

  /** Refuses new calls and waits for the running calls. */
  async leave(): Promise<void> {
    this.#leaving = true;
    await Promise.all([...this.#registers.values()].map(({ service }) => service.idle()));
  }

  async close(): Promise<void> {
    const { clock } = this.#parts;
    const closing = Promise.all([...this.#registers.values()].map(({ service }) => service.close()));
    await waitUntil(clock, deadlineIn(clock, CLOSE_LIMIT_MS), closing);
  }
}

export function schemeOf({ written }: NamedRegister): string {
  return written.slice(0, written.indexOf(":"));
}
