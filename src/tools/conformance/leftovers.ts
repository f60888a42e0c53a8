import { objectOf, type Sent, statusOf } from "./exchanges/sent.ts";
import { Account, type AccountServices } from "./play/account.ts";
import { AccountIds } from "./play/account-ids.ts";
import type { Group } from "./rules/rule.ts";
import { STATUSES } from "./rules/vendor/answers.ts";

/**
 * The highest number of accounts that a parallel run can have installed at the end of this run. If a server reports more accounts, it
 * probably calls every uninstalled account installed, so its reports are ignored.
 */
const MAX_BESIDE = 2;

/**
 * Returns the ids of accounts that the server reports as installed, although this run has no installed account now. Such accounts belong to
 * a parallel run, or to an earlier run that failed to remove them. Asks about the first account of each group. Uses GET (platform-contracts
 * 3.3), which a server may always answer with 404.
 * Returns nothing if the server does not answer 404 for an unknown account, because its other answers then prove nothing. Also returns
 * nothing without the vendor address, or when a request gets no answer.
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

/** Returns the report's lines about accounts of other runs. */
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
