import type { Clock } from "../kernel/clock.ts";
import { deadlineIn } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { settledSchema } from "../registers/agent/wire/frames-schema.ts";
import type { AgentConnection } from "./connection.ts";

/** Asked of the record only, which answers in milliseconds. */
const ASK_LIMIT_MS = 20_000;
/** How often an agent is asked after its first time. */
const PERIOD_MS = 60_000;
/** Pages of one round. The rest comes in the next one. */
const MAX_PAGES = 20;

export interface SettlingServices {
  clock: Clock;
  log: Log;
  /** Ids of the attempts of operations that have not ended. */
  unfinishedAttempts(): Promise<ReadonlySet<string>>;
}

interface SettlingOwner {
  /** Called after each round. */
  asked(round: { rttMs: number; unfinished: number }): void;
}

/**
 * Tells an agent from time to time which attempts are settled, so that its record need not keep them for ever. The agent is asked first
 * what it keeps, and the journal afterwards: an attempt whose operation has ended by then is settled. Ends with the connection, or when the
 * returned function is called. Between the rounds nothing but a timer is held, because a server has thousands of agents.
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
  let rttMs: number | undefined;
  for (const { name } of connection.hello.registers) {
    const begunMs = clock.monotonicMs();
    let kept = await askSettled(clock, connection, name, []);
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
  return rttMs === undefined ? undefined : { rttMs, unfinished };
}

/** Returns what the agent has not settled. Undefined: it could not be asked. */
async function askSettled(clock: Clock, connection: AgentConnection, register: string, attempts: string[]): Promise<string[] | undefined> {
  const answered = await connection.call({ do: "settled", register, attempts }, deadlineIn(clock, ASK_LIMIT_MS)).answered;
  if (answered.kind !== "result") return undefined;
  const read = settledSchema.safeParse(answered.result);
  if (read.success) return [...read.data.unsettled];
  connection.malformed("an answer to settled that nobody can read");
  return undefined;
}
