import { type Kysely, sql, type Transaction } from "kysely";
import type { InstallationKey } from "../accounts/installation.ts";
import type { AgentCodeRow, AgentRegisterRow, AgentRow } from "../store/agent-tables.ts";
import type { Tables } from "../store/tables.ts";

export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

/** The names after `after` in the database's order, at most `limit`, of one installation or of all. */
interface NamesPage {
  key?: InstallationKey;
  after?: string;
  limit: number;
}

/** The agents of a page, by name. */
export function selectAgents(db: Db, { key, after = "", limit }: NamesPage): Promise<AgentRow[]> {
  const page = db.selectFrom("agents").selectAll().where("name", ">", after).orderBy("name").limit(limit);
  if (key === undefined) return page.execute();
  return page.where("app_id", "=", key.appId).where("account_id", "=", key.accountId).execute();
}

/** Counts the agents and the codes of an installation. A code for an existing agent counts too. */
export async function countNames(db: Db, { appId, accountId }: InstallationKey): Promise<number> {
  const counts = await Promise.all(
    (["agents", "agent_codes"] as const).map((table) =>
      db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("app_id", "=", appId)
        .where("account_id", "=", accountId)
        .executeTakeFirst(),
    ),
  );
  return counts.reduce((sum, row) => sum + Number(row?.count ?? 0), 0);
}

export function selectAgent(db: Db, name: string): Promise<AgentRow | undefined> {
  return db.selectFrom("agents").selectAll().where("name", "=", name).executeTakeFirst();
}

export function selectAgentById(db: Db, agentId: string): Promise<AgentRow | undefined> {
  return db.selectFrom("agents").selectAll().where("agent_id", "=", agentId).executeTakeFirst();
}

/** Locks an agent until the end of the transaction and returns it. Undefined: no agent has this name. */
export function lockAgent(tx: Tx, name: string): Promise<AgentRow | undefined> {
  return tx.updateTable("agents").set({ name }).where("name", "=", name).returningAll().executeTakeFirst();
}

/** Locks an agent until the end of the transaction and returns it. Undefined: no agent has this id. */
export function lockAgentById(tx: Tx, agentId: string): Promise<AgentRow | undefined> {
  return tx.updateTable("agents").set({ agent_id: agentId }).where("agent_id", "=", agentId).returningAll().executeTakeFirst();
}

/**
 * Locks the names of all agents until the end of the transaction. Call this before you check whether a name is free, because another
 * process may enrol an agent under the same name at the same moment.
 */
export async function lockNames(tx: Tx): Promise<void> {
  await tx.updateTable("agent_server").set({ id: 1 }).where("id", "=", 1).execute();
}

/** Inserts an agent. Deletes an earlier agent of the same name. */
export async function replaceAgent(tx: Tx, row: AgentRow): Promise<void> {
  await tx.deleteFrom("agents").where("name", "=", row.name).execute();
  await tx.insertInto("agents").values(row).execute();
}

/** Changes an agent. False: another agent has been enrolled under this name, and nothing was changed. */
export async function updateAgent(
  tx: Tx,
  { name, agent_id }: Pick<AgentRow, "name" | "agent_id">,
  change: Partial<AgentRow>,
): Promise<boolean> {
  const result = await tx.updateTable("agents").set(change).where("name", "=", name).where("agent_id", "=", agent_id).executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Marks agents as disconnected when a server starts. `isOneOfSeveral`: the server is one of several processes on this database, so agents
 * that are connected to a process keep their mark.
 */
export async function disconnectAll(tx: Tx, atMs: number, isOneOfSeveral: boolean): Promise<void> {
  const update = tx.updateTable("agents").set({ connected: 0, since_ms: atMs, process: null }).where("connected", "=", 1);
  await (isOneOfSeveral ? update.where("process", "is", null) : update).execute();
}

/**
 * Marks an agent as connected. False: the agent has a newer connection, was revoked or replaced, or another copy of it was accepted. Then
 * nothing was changed.
 */
export async function connectTo(
  tx: Tx,
  { name, agent_id, epoch }: Pick<AgentRow, "name" | "agent_id" | "epoch">,
  { process, since_ms }: { process: string | null; since_ms: number | null },
): Promise<boolean> {
  const result = await tx
    .updateTable("agents")
    .set({ connected: 1, since_ms, process })
    .where("name", "=", name)
    .where("agent_id", "=", agent_id)
    .where("epoch", "=", epoch)
    .where("revoked_at_ms", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Marks an agent as disconnected, but only if its row still names this process. */
export async function disconnectFrom(
  tx: Tx,
  { name, agent_id }: Pick<AgentRow, "name" | "agent_id">,
  { process, since_ms }: { process: string; since_ms: number | null },
): Promise<void> {
  const change = { connected: 0, since_ms, process: null } as const;
  await tx
    .updateTable("agents")
    .set(change)
    .where("name", "=", name)
    .where("agent_id", "=", agent_id)
    .where("process", "=", process)
    .execute();
}

/** The codes of a page that are valid and whose name has no agent, by name. */
export function selectWaitingCodes(db: Db, nowMs: number, { key, after = "", limit }: NamesPage): Promise<AgentCodeRow[]> {
  const page = db
    .selectFrom("agent_codes")
    .selectAll()
    .where("name", ">", after)
    .where("expires_at_ms", ">", nowMs)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("agents").select("agents.name").whereRef("agents.name", "=", "agent_codes.name"))),
    )
    .orderBy("name")
    .limit(limit);
  if (key === undefined) return page.execute();
  return page.where("app_id", "=", key.appId).where("account_id", "=", key.accountId).execute();
}

export function selectCode(db: Db, codeHash: string): Promise<AgentCodeRow | undefined> {
  return db.selectFrom("agent_codes").selectAll().where("code_hash", "=", codeHash).executeTakeFirst();
}

export function selectCodeOf(db: Db, name: string): Promise<AgentCodeRow | undefined> {
  return db.selectFrom("agent_codes").selectAll().where("name", "=", name).executeTakeFirst();
}

/** Inserts a code. Deletes an earlier code for the same name. */
export async function replaceCode(tx: Tx, row: AgentCodeRow): Promise<void> {
  await tx.deleteFrom("agent_codes").where("name", "=", row.name).execute();
  await tx.insertInto("agent_codes").values(row).execute();
}

/** Deletes a code, because an agent uses it now. False: there is no such code any more. */
export async function takeCode(tx: Tx, codeHash: string): Promise<boolean> {
  const result = await tx.deleteFrom("agent_codes").where("code_hash", "=", codeHash).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function deleteOldCodes(tx: Tx, beforeMs: number): Promise<void> {
  await tx.deleteFrom("agent_codes").where("expires_at_ms", "<", beforeMs).execute();
}

export function selectRegistersOfAll(db: Db, names: readonly string[]): Promise<AgentRegisterRow[]> {
  return db.selectFrom("agent_registers").selectAll().where("name", "in", names).orderBy("name").orderBy("register").execute();
}

export function selectRegistersOf(db: Db, name: string): Promise<AgentRegisterRow[]> {
  return db.selectFrom("agent_registers").selectAll().where("name", "=", name).orderBy("register").execute();
}

/** Deletes an agent's registers without any device, except the named ones. */
export async function deleteUnusedRegisters(tx: Tx, name: string, except: readonly string[]): Promise<void> {
  const unused = tx
    .deleteFrom("agent_registers")
    .where("name", "=", name)
    .where("serial_number", "is", null)
    .where("other_serial_number", "is", null);
  await (except.length === 0 ? unused : unused.where("register", "not in", except)).execute();
}

/** Changes the given columns of a register and inserts a missing row. Leaves the remaining columns, which other transactions may change. */
export async function upsertRegister(
  tx: Tx,
  { name, register }: Pick<AgentRegisterRow, "name" | "register">,
  change: Partial<Omit<AgentRegisterRow, "name" | "register">>,
): Promise<void> {
  await tx
    .insertInto("agent_registers")
    .values({ ...EMPTY_REGISTER, name, register, ...change })
    .onConflict((conflict) => conflict.columns(["name", "register"]).doUpdateSet(change))
    .execute();
}

const EMPTY_REGISTER = {
  scheme: null,
  serial_number: null,
  drive_number: null,
  other_serial_number: null,
  other_drive_number: null,
} satisfies Partial<AgentRegisterRow>;

/** Returns the server's id and the number of its last start. Undefined: no server has started yet. */
export function selectServer(db: Db): Promise<{ server_id: string; start_number: number } | undefined> {
  return db.selectFrom("agent_server").select(["server_id", "start_number"]).where("id", "=", 1).executeTakeFirst();
}

/** Returns the highest token of all register leases. 0: no process has ever taken a register lease in this database. */
export async function selectHighestToken(db: Db): Promise<number> {
  const found = await db
    .selectFrom("leases")
    .select(({ fn }) => fn.max("token").as("highest"))
    .where("kind", "=", "register")
    .executeTakeFirst();
  return Number(found?.highest ?? 0);
}

/**
 * Stores the number of a start and returns the new row. The number grows with each start: if the stored number is not lower than the given
 * number, the new number is the stored number plus one. An existing id stays, so two processes that make their first start at the same
 * moment share one id.
 */
export async function upsertServer(tx: Tx, serverId: string, startNumber: number): Promise<{ id: string; startNumber: number }> {
  const standing = await tx
    .insertInto("agent_server")
    .values({ id: 1, server_id: serverId, start_number: startNumber })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet((row) => ({
        start_number: sql<number>`case when ${row.ref("agent_server.start_number")} < ${startNumber} then ${startNumber} else ${row.ref("agent_server.start_number")} + 1 end`,
      })),
    )
    .returning(["server_id", "start_number"])
    .executeTakeFirstOrThrow();
  return { id: standing.server_id, startNumber: standing.start_number };
}
