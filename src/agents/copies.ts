import type { Clock } from "../kernel/clock.ts";
import type { Hello } from "../registers/agent/wire/frames-schema.ts";
import type { AgentRow } from "../store/agent-tables.ts";
import type { Store } from "../store/database.ts";
import { lockAgentById, type Tx, updateAgent } from "./agent-queries.ts";

/**
 * The server distinguishes copies of an agent by the epoch and the id of the data folder. Each connection gets a new epoch. The agent
 * stores the new epoch before the server does. After a crash in between, the agent returns with the server's stored epoch or with the last
 * offered epoch. A copied folder returns with another id or with an older epoch. It is refused until a person accepts it.
 */

type Arrived = { kind: "offered"; epoch: number } | { kind: "forked" } | { kind: "gone" };

/**
 * A running copy tries to connect at least every 30 s. A refused copy that was silent for longer than this limit has probably stopped. Then
 * `acceptCopy` keeps the connected copy.
 */
const RUNNING_COPY_MS = 90_000;

interface CopyServices {
  store: Pick<Store, "commit">;
  clock: Clock;
}

/** Offers the next epoch to a known copy. An unknown copy is refused, and stored so that a person can accept it. */
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
 * Stores an epoch after the agent has stored it. `overtaken`: the stored epoch is the same or newer. For example, the agent has a newer
 * connection, or another copy was accepted.
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
    // A newer connection may have been offered a later epoch. The agent may have stored that epoch, so the offer stays valid.
    const offered = row.offered_epoch !== null && row.offered_epoch > epoch ? row.offered_epoch : null;
    await updateAgent(tx, row, { epoch, offered_epoch: offered });
    return "confirmed";
  });
}

type AcceptedCopy =
  | { kind: "none" }
  /** The refused copy becomes the agent. */
  | { kind: "other" }
  /** The connected copy stays the agent. */
  | { kind: "connected" };

/** Ends the state `forked` after a person accepts. Returns which copy is the agent from now on. */
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
