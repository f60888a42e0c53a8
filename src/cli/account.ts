import type { Installation, InstallationKey } from "../accounts/installation.ts";
import type { Installations } from "../accounts/installations.ts";
import { UsageError } from "./command.ts";

/**
 * Returns the installation with this account id or this appId/accountId. An account with several solutions needs the second form. Throws a
 * `UsageError` unless exactly one installation matches.
 */
export async function installationNamed(installations: Pick<Installations, "list">, text: string): Promise<Installation> {
  const [first = "", second, ...more] = text.split("/");
  const [appId, accountId] = second === undefined ? [undefined, first] : [first, second];
  const ofAccount = more.length > 0 ? undefined : await installations.list({ accountId });
  const isNamed = (installation: InstallationKey) => appId === undefined || installation.appId === appId;
  const found = (ofAccount?.found ?? []).filter(isNamed);
  const unreadable = ofAccount?.unreadable.find(isNamed);
  if (unreadable !== undefined) throw new UsageError(`the installation of account ${text} cannot be read: ${unreadable.problem}`);
  const [only, another] = found;
  if (only === undefined) throw new UsageError(`no account ${text}; ${await knownAccounts(installations)}`);
  if (another !== undefined) {
    throw new UsageError(
      `account ${text} uses several solutions: name one as ${found.map((one) => `${one.appId}/${one.accountId}`).join(" or ")}`,
    );
  }
  return only;
}

async function knownAccounts(installations: Pick<Installations, "list">): Promise<string> {
  const { found: all } = await installations.list();
  if (all.length === 0) return "no account has installed the solution yet";
  return listed(all.map((one) => one.accountId));
}

const SHOWN = 5;

/** Returns a text with the first ids and the number of further ids. */
export function listed(ids: readonly string[]): string {
  const rest = ids.length > SHOWN ? ` and ${ids.length - SHOWN} more (see \`settings list\`)` : "";
  return `known are ${ids.slice(0, SHOWN).join(", ")}${rest}`;
}
