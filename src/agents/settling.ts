import type { Clock } from "../kernel/clock.ts";
import { deadlineIn } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { settledSchema } from "../registers/agent/wire/frames-schema.ts";
import type { AgentConnection } from "./connection.ts";

/** The limit for one call. The agent asks only its record, which answers in milliseconds. */
const ASK_LIMIT_MS = 20_000;
/** The pause between two rounds with one agent. */
const PERIOD_MS = 60_000;
/** The largest number of pages for one register in one round. The next round takes the rest. */
const MAX_PAGES = 20;

export interface SettlingServices {
  clock: Clock;
  log: Log;
  /** Ids of the attempts of operations that have not ended. */
  unfinishedAttempts(): Promise<ReadonlySet<string>>;
}

interface SettlingOwner {
  /** Called after each round. `unfinished` is absent when a register gave no answer. */
  asked(round: { rttMs: number; unfinished?: number }): void;
}

/**
 * Tells an agent from time to time which attempts are settled, so that its record need not keep them for ever. An attempt is settled when
 * its operation has ended. The agent is asked for its attempts first, and the journal afterwards. In the other order an attempt that begins
 * in between would count as settled. Ends with the connection, or when the returned function is called. Between the rounds nothing but a
 * timer is held, because a server has thousands of agents.
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
  // Without the answer of each register it is unknown how many attempts the agent keeps.
  return rttMs === undefined ? undefined : { rttMs, ...(isKnown ? { unfinished } : {}) };
}

/** Settles attempts, and returns those that the agent still keeps as not settled. Undefined: it gave no answer. */
async function askSettled(clock: Clock, connection: AgentConnection, register: string, attempts: string[]): Promise<string[] | undefined> {
  const answered = await connection.call({ do: "settled", register, attempts }, deadlineIn(clock, ASK_LIMIT_MS)).answered;
  if (answered.kind !== "result") return undefined;
  const read = settledSchema.safeParse(answered.result);
  if (read.success) return [...read.data.unsettled];
  connection.malformed("an answer to settled that nobody can read");
  return undefined;
}
