import type { Clock } from "../kernel/clock.ts";
import type { Hello } from "../registers/agent/wire/frames-schema.ts";
import type { AgentRow } from "../store/agent-tables.ts";
import type { Store } from "../store/database.ts";
import { lockAgentById, type Tx, updateAgent } from "./agent-queries.ts";

/**
 * A copied data folder makes two agents of one. The server lets only one of them work. It distinguishes them by the id of the data folder
 * and by the epoch, a number that grows with each connection. The agent stores a new epoch before the server does. After a crash in
 * between, the agent returns with the epoch that the server has stored, or with the epoch that the server has offered last. Both are
 * accepted. An agent with any other epoch, or from another folder, is refused until a person accepts it.
 */

type Arrived = { kind: "offered"; epoch: number } | { kind: "forked" } | { kind: "gone" };

/**
 * A running agent that was refused normally tries again within 30 s. After this time without a try, the refused copy has probably stopped.
 * `acceptCopy` then keeps the connected copy, if there is one.
 */
const RUNNING_COPY_MS = 90_000;

interface CopyServices {
  store: Pick<Store, "commit">;
  clock: Clock;
}

/** Offers the next epoch to a known copy. An unknown copy is stored, so that a person can accept it. `gone`: no agent has this id. */
export function offerEpoch({ store, clock }: CopyServices, hello: Hello, protocol: number): Promise<Arrived> {
  return store.commit(async (tx) => {
    const row = await lockAgentById(tx, hello.agent);
    if (row === undefined) return { kind: "gone" };
    if (!isKnownCopy(row, hello)) {
      await updateAgent(tx, row, forkedBy(hello, clock.nowMs(), row));
      return { kind: "forked" };
    }
    const epoch = row.top_epoch + 1;
    const told = { version: hello.version, protocol };
    await updateAgent(tx, row, { ...told, folder: hello.folder, epoch: hello.epoch, offered_epoch: epoch, top_epoch: epoch });
    return { kind: "offered", epoch };
  });
}

/**
 * Stores an epoch after the agent has stored it. `overtaken`: the same or a newer epoch is stored already, because the agent has a newer
 * connection or a person has accepted another copy. `unknown`: no agent has this id any more.
 */
export function confirmEpoch(
  { store }: Pick<CopyServices, "store">,
  { agent }: Hello,
  epoch: number,
): Promise<"confirmed" | "overtaken" | "unknown" | "revoked"> {
  return store.commit(async (tx) => {
    const row = await lockAgentById(tx, agent);
    if (row === undefined) return "unknown";
    if (row.revoked_at_ms !== null) return "revoked";
    if (epoch <= row.epoch) return "overtaken";
    // A newer connection may have been offered a later epoch. The agent may have stored the later epoch, so that offer stays valid.
    const offered = row.offered_epoch !== null && row.offered_epoch > epoch ? row.offered_epoch : null;
    await updateAgent(tx, row, { epoch, offered_epoch: offered });
    return "confirmed";
  });
}

type AcceptedCopy =
  /** No copy was refused. */
  | { kind: "none" }
  /** The refused copy becomes the agent. */
  | { kind: "other" }
  /** The connected copy stays the agent. */
  | { kind: "connected" };

/**
 * Ends the state `forked` when a person accepts. Returns which copy is the agent from now on. `isConnected`: some copy is connected. That
 * copy stays the agent only if the refused copy has stopped (`RUNNING_COPY_MS`).
 */
export async function acceptCopy(tx: Tx, clock: Clock, row: AgentRow, isConnected: boolean): Promise<AcceptedCopy> {
  if (row.forked_epoch === null) return { kind: "none" };
  const ended = { forked_epoch: null, forked_folder: null, forked_at_ms: null };
  if (isConnected && clock.nowMs() - (row.forked_at_ms ?? 0) > RUNNING_COPY_MS) {
    await updateAgent(tx, row, ended);
    return { kind: "connected" };
  }
  await updateAgent(tx, row, { ...ended, epoch: row.forked_epoch, folder: row.forked_folder, offered_epoch: null });
  return { kind: "other" };
}

function isKnownCopy(row: AgentRow, { epoch, folder }: Hello): boolean {
  return (row.folder === null || row.folder === folder) && (epoch === row.epoch || epoch === row.offered_epoch);
}

function forkedBy({ epoch, folder }: Hello, nowMs: number, { top_epoch }: AgentRow): Partial<AgentRow> {
  return { forked_epoch: epoch, forked_folder: folder, forked_at_ms: nowMs, top_epoch: Math.max(top_epoch, epoch) };
}
