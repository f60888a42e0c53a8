import type { InstallationKey } from "../accounts/installation.ts";
import { agentIn } from "./address.ts";
import { type Db, selectAgent, selectCodeOf } from "./agent-queries.ts";

/** Returns the owner of an agent's name. Undefined: no agent and no valid code has this name. */
async function ownerOf(db: Db, name: string, nowMs: number): Promise<InstallationKey | undefined> {
  const agent = await selectAgent(db, name);
  if (agent !== undefined) return { appId: agent.app_id, accountId: agent.account_id };
  const code = await selectCodeOf(db, name);
  return code === undefined || code.expires_at_ms <= nowMs ? undefined : { appId: code.app_id, accountId: code.account_id };
}

/**
 * Returns the name of the register's agent, if the account may not use this agent. Undefined: the account may use it, or the register is
 * not behind an agent. An agent of another account and an unknown agent give the same answer, because an account must not learn the names
 * of other accounts' agents.
 */
export async function unknownAgentOf(
  db: Db,
  { appId, accountId }: InstallationKey,
  canonical: string,
  nowMs: number,
): Promise<string | undefined> {
  const name = agentIn(canonical);
  if (name === undefined) return undefined;
  const owner = await ownerOf(db, name, nowMs);
  return owner?.appId === appId && owner.accountId === accountId ? undefined : name;
}
