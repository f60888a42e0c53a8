import { OPERATOR } from "../accounts/audit.ts";
import type { Chance, Clock } from "../kernel/clock.ts";
import { pause } from "../kernel/clock.ts";
import { type Deadline, deadlineIn } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { Rounds } from "../kernel/rounds.ts";
import { logSchema } from "../registers/agent/wire/frames-schema.ts";
import type { Store } from "../store/database.ts";
import { registerAddress } from "./address.ts";
import type { AgentDesk } from "./desk.ts";
import type { AgentHub } from "./hub.ts";
import { deleteOldRequests, insertRequest, selectAnswer, selectOpenRequests, takeRequest, updateAnswer } from "./request-queries.ts";
import { type AgentRequest, type AskedLog, answerSchema, MAX_ASKED_LINES, type RequestAnswer, requestSchema } from "./request-schema.ts";

/** How often the running server looks for requests. */
const LOOK_MS = 500;
/** How often a command looks for its answer. */
const ANSWER_LOOK_MS = 100;
/** The limit of requests that are answered in parallel. */
const MAX_AT_ONCE = 20;
/** How many requests are read at a time. */
const PAGE = 100;
/** The age at which a request is deleted. Its command must have been killed, because a command deletes its own request when it ends. */
const OLD_MS = 600_000;
/** How long an agent may take for its log, and for an examination. */
const LOG_LIMIT_MS = 5_000;
const EXAMINE_LIMIT_MS = 180_000;

interface RequestServices {
  store: Pick<Store, "commit" | "read">;
  clock: Clock;
  log: Log;
  hub: AgentHub;
  desk: AgentDesk;
  /** Whether this process answers the requests that any process could answer. Absent: there is one process only. */
  isChosen?(): Promise<boolean>;
  /** Claims a register for this process, unless another process holds it. Absent: there is one process only. */
  enter?(register: string): Promise<boolean>;
}

/**
 * Answers the requests of commands. A request that needs an agent's connection is answered by the process with this connection. One chosen
 * process answers all other requests, so that nothing is done twice. If the agent is connected nowhere, the chosen process answers too.
 */
export class AgentRequests {
  readonly #services: RequestServices;
  readonly #rounds: Rounds;
  readonly #running = new Map<string, Promise<void>>();

  constructor(services: RequestServices) {
    this.#services = services;
    this.#rounds = new Rounds(services.clock, LOOK_MS, () => this.#look());
  }

  start(): void {
    this.#rounds.start();
  }

  /** Accepts no further request and waits for the running requests. Close the connections first, so that running examinations end. */
  async close(): Promise<void> {
    await this.#rounds.close();
    await Promise.all(this.#running.values());
  }

  async #look(): Promise<void> {
    const { store, clock, log } = this.#services;
    try {
      let seen = 0;
      let page: { id: string; request: string }[];
      // The oldest requests may all be for other processes, so the look goes on behind them.
      do {
        const skip = seen;
        page = await store.read((db) => selectOpenRequests(db, PAGE, skip));
        seen += page.length;
        for (const { id, request } of page) await this.#begin(id, request);
      } while (page.length === PAGE && this.#running.size < MAX_AT_ONCE);
      if (seen > 0) await store.commit((tx) => deleteOldRequests(tx, clock.nowMs() - OLD_MS), "behind");
    } catch (error) {
      log.warn({ reason: messageOf(error) }, "requests of commands about agents could not be read");
    }
  }

  async #begin(id: string, text: string): Promise<void> {
    if (this.#running.has(id) || this.#running.size >= MAX_AT_ONCE) return;
    const request = requestIn(text);
    if (!(await this.#isMine(request))) return;
    const running = this.#answer(id, request).finally(() => this.#running.delete(id));
    this.#running.set(id, running);
  }

  async #isMine(request: AgentRequest | undefined): Promise<boolean> {
    const { hub, isChosen } = this.#services;
    if (isChosen === undefined) return true;
    const name = agentAskedBy(request);
    const place = name === undefined ? "nowhere" : hub.placeOf(name);
    return place === "here" || (place === "nowhere" && (await isChosen()));
  }

  async #answer(id: string, request: AgentRequest | undefined): Promise<void> {
    const { store, log } = this.#services;
    try {
      const answer = await this.#answerTo(request);
      await store.commit((tx) => updateAnswer(tx, id, JSON.stringify(answer)));
    } catch (error) {
      log.warn({ reason: messageOf(error) }, "a request of a command about agents could not be answered");
    }
  }

  async #answerTo(request: AgentRequest | undefined): Promise<RequestAnswer> {
    if (request === undefined) return { kind: "failed", reason: "the server is of another version and does not know this request" };
    try {
      return { kind: "done", result: await this.#resultOf(request) };
    } catch (error) {
      return { kind: "failed", reason: messageOf(error) };
    }
  }

  async #resultOf(request: AgentRequest): Promise<unknown> {
    const { desk } = this.#services;
    switch (request.kind) {
      case "list":
        return await desk.list();
      case "revoke":
        return await desk.revoke(request.name, OPERATOR);
      case "accept":
        return await desk.accept(request.place, OPERATOR);
      case "accept-all-forked":
        return await desk.acceptAllForked(OPERATOR);
      case "log":
        return await this.#logOf(request);
      case "examine":
        return await this.#examined(request);
    }
  }

  /** Asks the agent for its newest lines. Without an answer, or with `after`, returns lines that the agent has sent before. */
  async #logOf({ name, lines, after }: Extract<AgentRequest, { kind: "log" }>): Promise<AskedLog> {
    const { hub, clock } = this.#services;
    // Another process may have enrolled the agent, so this process may not know it yet.
    if (hub.held(name) === undefined) await hub.refresh(name);
    const held = hub.held(name);
    if (held === undefined) return { kind: "unknown" };
    const { newest } = held.log;
    // An `after` above `newest` was counted by another server process, before a restart or before the agent moved. Then all kept lines are
    // new.
    const from = after !== undefined && after > newest ? 0 : after;
    if (from !== undefined) return { kind: "lines", lines: held.log.after(from).slice(-MAX_ASKED_LINES), newest };
    const asked = await held.connection?.call({ do: "log", lines }, deadlineIn(clock, LOG_LIMIT_MS)).answered;
    const own = asked?.kind === "result" ? logSchema.safeParse(asked.result) : undefined;
    return { kind: "lines", lines: own?.success === true ? [...own.data.lines] : held.log.last(lines), newest };
  }

  async #examined({ place, zone, zoneKnown }: Extract<AgentRequest, { kind: "examine" }>): Promise<unknown> {
    const { hub, clock, enter } = this.#services;
    await enter?.(registerAddress(place.name, place.register));
    const reach = hub.reach(place.name);
    if (reach.kind === "away") return { kind: "unreachable", reason: reach.reason };
    const call = { do: "examine", register: place.register, zone, zoneKnown } as const;
    const answered = await reach.connection.call(call, deadlineIn(clock, EXAMINE_LIMIT_MS)).answered;
    if (answered.kind === "result") return answered.result;
    return { kind: "unreachable", reason: answered.reason };
  }
}

/**
 * Returns undefined for a request of another version, and for a row that is no JSON: such a row must not stop the reading of the other
 * rows.
 */
function requestIn(text: string): AgentRequest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return requestSchema.safeParse(value).data;
}

/** Returns the agent whose process must answer, if the agent is connected. Undefined: any process can answer. */
function agentAskedBy(request: AgentRequest | undefined): string | undefined {
  if (request?.kind === "log") return request.name;
  return request?.kind === "examine" ? request.place.name : undefined;
}

interface AskServices {
  store: Pick<Store, "commit" | "read">;
  clock: Clock;
  chance: Pick<Chance, "uuid">;
  signal?: AbortSignal;
}

/**
 * Asks the running server. Undefined: no answer came before the deadline or the signal. The request is then deleted, but a server that has
 * begun it may still finish it.
 */
export async function askServer(services: AskServices, request: AgentRequest, deadline: Deadline): Promise<RequestAnswer | undefined> {
  const { store, clock, chance, signal } = services;
  const id = chance.uuid();
  await store.commit((tx) => insertRequest(tx, { id, asked_at_ms: clock.nowMs(), request: JSON.stringify(request) }));
  while (deadline.remainingMs() > 0 && signal?.aborted !== true) {
    await pause(clock, Math.min(ANSWER_LOOK_MS, deadline.remainingMs()), signal);
    if (((await store.read((db) => selectAnswer(db, id))) ?? null) !== null) break;
  }
  const answer = await store.commit((tx) => takeRequest(tx, id));
  return answer === undefined ? undefined : answerSchema.parse(JSON.parse(answer));
}
