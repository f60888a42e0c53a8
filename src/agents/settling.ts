import type { Clock } from "../kernel/clock.ts";
import { deadlineIn } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { present } from "../kernel/present.ts";
import { settledSchema } from "../registers/agent/wire/frames-schema.ts";
import type { AgentConnection } from "./connection.ts";

/** The time limit of one call to an agent. The agent only writes and reads its record, which takes milliseconds. */
const ASK_LIMIT_MS = 20_000;
/** The pause between two rounds with one agent. In a round all registers of the agent are asked. */
const PERIOD_MS = 60_000;
/** The largest number of answers with settled attempts for one register in one round. The next round continues. */
const MAX_PAGES = 20;

export interface SettlingServices {
  clock: Clock;
  log: Log;
  /** Returns the id of the current attempt of each operation that has not ended. */
  unfinishedAttempts(): Promise<ReadonlySet<string>>;
}

interface SettlingOwner {
  /**
   * Called after each round in which at least one register answered. `unfinished`: the number of attempts in the agent's record whose
   * operations have not ended. Absent when a register left a question unanswered, or has more settled attempts than a round drops.
   */
  asked(round: { rttMs: number; unfinished?: number }): void;
}

/**
 * Periodically tells an agent which attempts are settled, so that its record can drop them later. An attempt is settled when its operation
 * has ended. The agent's attempts are read before the journal: otherwise an attempt that begins in between would look settled. No round
 * begins after the connection has ended or the returned function was called. Only a timer is held between rounds, because a server may have
 * thousands of agents.
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
  let unfinished: number | undefined = 0;
  let rttMs: number | undefined;
  for (const { name } of connection.hello.registers) {
    const begunMs = clock.monotonicMs();
    const first = await askSettled(clock, connection, name, []);
    if (first !== undefined) rttMs ??= clock.monotonicMs() - begunMs;
    const left: number | undefined = first === undefined ? undefined : await settleRegister(services, connection, name, first);
    unfinished = unfinished === undefined || left === undefined ? undefined : unfinished + left;
  }
  return rttMs === undefined ? undefined : { rttMs, ...present({ unfinished }) };
}

/**
 * Settles the register's attempts, page by page. `first`: its oldest unsettled attempts. Returns how many attempts of unfinished operations
 * the record has. Undefined: an answer is missing, or more attempts are left than a round settles.
 */
async function settleRegister(
  services: SettlingServices,
  connection: AgentConnection,
  register: string,
  first: string[],
): Promise<number | undefined> {
  let kept: string[] | undefined = first;
  for (let page = 0; page < MAX_PAGES && kept !== undefined; page += 1) {
    if (kept.length === 0) return 0;
    const ofJournal = await services.unfinishedAttempts();
    const settled = kept.filter((attempt) => !ofJournal.has(attempt));
    if (settled.length === 0) return kept.length;
    kept = await askSettled(services.clock, connection, register, settled);
  }
  return undefined;
}

/** Settles attempts and returns the register's oldest unsettled attempts in the agent's record. Undefined: no readable answer came. */
async function askSettled(clock: Clock, connection: AgentConnection, register: string, attempts: string[]): Promise<string[] | undefined> {
  const answered = await connection.call({ do: "settled", register, attempts }, deadlineIn(clock, ASK_LIMIT_MS)).answered;
  if (answered.kind !== "result") return undefined;
  const read = settledSchema.safeParse(answered.result);
  if (read.success) return [...read.data.unsettled];
  connection.malformed("an answer to settled that nobody can read");
  return undefined;
}
