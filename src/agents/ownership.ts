import type { InstallationKey } from "../accounts/installation.ts";
import { agentIn } from "./address.ts";
import { type Db, selectAgent, selectCodeOf } from "./agent-queries.ts";

/** Returns the account that has the name. Undefined: nobody has an agent or a valid code of this name. */
async function ownerOf(db: Db, name: string, nowMs: number): Promise<InstallationKey | undefined> {
  const agent = await selectAgent(db, name);
  if (agent !== undefined) return { appId: agent.app_id, accountId: agent.account_id };
  const code = await selectCodeOf(db, name);
  return code === undefined || code.expires_at_ms <= nowMs ? undefined : { appId: code.app_id, accountId: code.account_id };
}

/**
 * Returns the agent of this register if the account may not use it: no agent has the name, or another account has it. Both cases have one
 * answer, because an account must not learn the names of other accounts' agents.
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
