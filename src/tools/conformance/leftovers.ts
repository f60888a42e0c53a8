import { objectOf, type Sent, statusOf } from "./exchanges/sent.ts";
import { Account, type AccountServices } from "./play/account.ts";
import { AccountIds } from "./play/account-ids.ts";
import type { Group } from "./rules/rule.ts";
import { STATUSES } from "./rules/vendor/answers.ts";

/**
 * Highest believable number of foreign accounts. If more are left at the end, the server calls every uninstalled account
 * installed, and is not believed.
 */
const MAX_BESIDE = 2;

/**
 * Ids of accounts of these groups that the server calls installed although nothing of this run is. They belong to a run at the
 * same time, or to one that could not remove its accounts. Asked with the old probe (platform-contracts 3.3), which a server may
 * always answer with 404. A server that calls an unknown account installed is not believed.
 */
export async function installedAccounts(groups: readonly Group[], services: AccountServices): Promise<string[]> {
  if (services.target.vendor === undefined) return [];
  const probe = (accountId: string) => new Account(services, accountId).call("GET");
  if (statusOf(await probe(services.chance.uuid())) !== 404) return [];
  const found: string[] = [];
  for (const { id } of groups.filter((group) => !group.id.startsWith("descriptor/"))) {
    const accountId = new AccountIds().next(id);
    const sent = await probe(accountId);
    if (sent.exchange.kind === "no-answer") return [];
    if (isInstalled(sent)) found.push(accountId);
  }
  return found;
}

/** The report's lines about such accounts; none when there are none. */
export function wordsOfMet(before: readonly string[], after: readonly string[]): string[] {
  const [first, ...others] = before;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  if (first !== undefined) {
    return [
      `before the run account ${first}${more} was installed already: another run goes on at this server (then the verdicts of both say nothing: let ` +
        "it end, and run again), or one before could not take down what it had set up; also look whether a shift is still open",
    ];
  }
  const [beside] = after;
  if (beside === undefined || after.length > MAX_BESIDE) return [];
  return [
    `after the run account ${beside} was installed, which this one had removed: another run goes on at this server, and the verdicts of both say ` +
      "nothing; run again when it has ended",
  ];
}

function isInstalled(sent: Sent): boolean {
  return statusOf(sent) === 200 && STATUSES.includes(objectOf(sent)?.status);
}
