import type { Clock } from "../kernel/clock.ts";
import { deadlineIn } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { settledSchema } from "../registers/agent/wire/frames-schema.ts";
import type { AgentConnection } from "./connection.ts";

/** The limit for one call. The agent only reads and writes its record, which takes milliseconds. */
const ASK_LIMIT_MS = 20_000;
/** The pause between two rounds with one agent. */
const PERIOD_MS = 60_000;
/**
 * The limit of pages for one register in one round. A page is one `settled` call, whose answer lists at most `MAX_ATTEMPTS` attempts. The
 * next round continues.
 */
const MAX_PAGES = 20;

export interface SettlingServices {
  clock: Clock;
  log: Log;
  /** Returns the id of the current attempt of each operation that has not ended. */
  unfinishedAttempts(): Promise<ReadonlySet<string>>;
}

interface SettlingOwner {
  /** Called after each round in which the agent answered. `unfinished` is absent when a register gave no answer. */
  asked(round: { rttMs: number; unfinished?: number }): void;
}

/**
 * Periodically tells an agent which attempts are settled, so that its record can drop them. An attempt is settled when its operation has
 * ended or has a newer attempt. The agent's list of attempts is read before the journal's list. In the other order, an attempt that begins
 * between the two readings would be missing in the journal's list and look settled. Runs until the connection ends or the caller calls the
 * returned function. Only a timer is held between rounds, because a server has thousands of agents.
 */
export function settleAttempts(services: SettlingServices, connection: AgentConnection, owner: SettlingOwner): () => void {
  let stopped = false;
  let cancel = () => {};
  const next = () => {
    if (!stopped && connection.isOpen) cancel = services.clock.after(PERIOD_MS, round);
  };
  const round = () => void settleRound(services, connection, owner).then(next);
  round();
  return () => {
    stopped = true;
    cancel();
  };
}

async function settleRound(services: SettlingServices, connection: AgentConnection, owner: SettlingOwner): Promise<void> {
  try {
    const round = await settleOnce(services, connection);
    if (round !== undefined) owner.asked(round);
  } catch (error) {
    services.log.warn({ agent: connection.name, reason: messageOf(error) }, "what an agent keeps could not be settled; it is tried again");
  }
}

async function settleOnce(services: SettlingServices, connection: AgentConnection) {
  const { clock } = services;
  let unfinished = 0;
  let isKnown = true;
  let rttMs: number | undefined;
  for (const { name } of connection.hello.registers) {
    const begunMs = clock.monotonicMs();
    let kept = await askSettled(clock, connection, name, []);
    if (kept === undefined) {
      isKnown = false;
      continue;
    }
    rttMs ??= clock.monotonicMs() - begunMs;
    let open: string[] = [];
    for (let page = 0; kept !== undefined && kept.length > 0 && page < MAX_PAGES; page += 1) {
      const ofJournal = await services.unfinishedAttempts();
      open = kept.filter((attempt) => ofJournal.has(attempt));
      const settled = kept.filter((attempt) => !ofJournal.has(attempt));
      if (settled.length === 0) break;
      kept = await askSettled(clock, connection, name, settled);
    }
    unfinished += open.length;
  }
  // The total is unknown unless every register answers.
  return rttMs === undefined ? undefined : { rttMs, ...(isKnown ? { unfinished } : {}) };
}

/** Settles attempts and returns the attempts that the agent still keeps. Undefined: the agent gave no readable answer. */
async function askSettled(clock: Clock, connection: AgentConnection, register: string, attempts: string[]): Promise<string[] | undefined> {
  const answered = await connection.call({ do: "settled", register, attempts }, deadlineIn(clock, ASK_LIMIT_MS)).answered;
  if (answered.kind !== "result") return undefined;
  const read = settledSchema.safeParse(answered.result);
  if (read.success) return [...read.data.unsettled];
  connection.malformed("an answer to settled that nobody can read");
  return undefined;
}
