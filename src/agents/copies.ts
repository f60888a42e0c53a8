import type { Clock } from "../kernel/clock.ts";
import type { Hello } from "../registers/agent/wire/frames-schema.ts";
import type { AgentRow } from "../store/agent-tables.ts";
import type { Store } from "../store/database.ts";
import { lockAgentById, type Tx, updateAgent } from "./agent-queries.ts";

/**
 * The copies of an agent are told apart by the epoch and by the id of the data folder. Each connection gets a new epoch, which the agent
 * stores before the server does. If agent or server is killed in between, the agent returns with the epoch that the server has stored or
 * with the one that the server offered last. A copy of the folder returns with an older one and is refused.
 */

type Arrived = { kind: "offered"; epoch: number } | { kind: "forked" } | { kind: "gone" };

/**
 * A refused copy that has tried to connect within this time still runs, because it tries at least every 30 s. After a longer silence
 * `accept` accepts the copy that is connected, if one is.
 */
const RUNNING_COPY_MS = 90_000;

interface CopyServices {
  store: Pick<Store, "commit">;
  clock: Clock;
}

/** Offers the next epoch to the copy that said hello. An unknown copy is refused, and stored so that a person can accept it. */
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
 * Stores that the agent has stored its epoch. `overtaken`: a newer epoch is stored already, so another connection is used. The next hello
 * shows whether it belongs to another copy.
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
    // A later epoch was offered at a connection that has broken since. The agent may have stored it, so that offer stays.
    const offered = row.offered_epoch !== null && row.offered_epoch > epoch ? row.offered_epoch : null;
    await updateAgent(tx, row, { epoch, offered_epoch: offered });
    return "confirmed";
  });
}

type AcceptedCopy =
  | { kind: "none" }
  /** The refused copy is the agent from now on. */
  | { kind: "other" }
  /** The copy that is connected stays the agent. */
  | { kind: "connected" };

/** Ends the state `forked` when a person accepts. Returns the copy that counts from now on. */
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
