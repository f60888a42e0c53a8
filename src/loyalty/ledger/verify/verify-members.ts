import type { AccountRow, EntryRow, LoyaltyAllocationsTable, LoyaltyTierEventsTable } from "../../../store/loyalty-tables.ts";
import type { Db } from "../ledger-queries.ts";
import { compared, type Finding } from "./finding.ts";
import { MemberCheck } from "./member-check.ts";
import {
  allocationsIn,
  entriesIn,
  lotsIn,
  memberIdsIn,
  mergesIn,
  type Position,
  type Scope,
  tierEventsIn,
  type Visits,
  visitsIn,
} from "./verify-queries.ts";

/** The number of entries that are read together. With their allocations they use a few megabytes. */
const ENTRIES_AT_ONCE = 5_000;

/**
 * The largest accepted difference between the times of the newest order and of the newest visit. The clocks of processes differ, and such a
 * difference is harmless: a visit moves the ends of lots by days.
 */
const CLOCKS_APART_MS = 600_000;

/** Recomputes the members of a scope. Memory holds all their lots and a few thousand of their entries. */
export async function checkMembers(
  db: Db,
  scope: Scope,
  accounts: readonly AccountRow[],
): Promise<{ findings: Finding[]; entries: number }> {
  const lots = groupedBy(await lotsIn(db, scope), ({ member_id }) => member_id);
  const accountOf = new Map(accounts.map((account) => [account.member_id, account]));
  const members = new Set(await memberIdsIn(db, scope));
  const checks = new Map<string, MemberCheck>();
  const checkOf = (memberId: string) => {
    const check = checks.get(memberId) ?? new MemberCheck(memberId, accountOf.get(memberId), lots.get(memberId) ?? []);
    checks.set(memberId, check);
    return check;
  };
  for (const memberId of [...members, ...accountOf.keys(), ...lots.keys()]) checkOf(memberId);
  const entries = await feedEntries(db, scope, checkOf);
  const findings = [...checks.values()].flatMap((check) => check.finish());
  for (const memberId of checks.keys())
    if (!members.has(memberId)) findings.push({ table: "loyalty_members", row: memberId, memberId, fault: { code: "missing" } });
  findings.push(...(await checkStanding(db, scope, accounts)));
  return { findings, entries };
}

async function feedEntries(db: Db, scope: Scope, checkOf: (memberId: string) => MemberCheck): Promise<number> {
  let count = 0;
  let after: Position | undefined;
  for (;;) {
    const entries = await entriesIn(db, scope, after, ENTRIES_AT_ONCE);
    const last = entries.at(-1);
    const isLast = last === undefined || entries.length < ENTRIES_AT_ONCE;
    const upTo = isLast ? undefined : { id: last.member_id, number: last.number };
    const taken = groupedBy(await allocationsIn(db, scope, after, upTo), ({ member_id, entry_number }) => `${member_id}/${entry_number}`);
    for (const entry of entries) feed(entry, taken, checkOf);
    for (const lost of [...taken.values()].flat()) checkOf(lost.member_id).lostAllocation(lost);
    count += entries.length;
    if (isLast) return count;
    after = upTo;
  }
}

function feed(entry: EntryRow, taken: Map<string, LoyaltyAllocationsTable[]>, checkOf: (memberId: string) => MemberCheck): void {
  const place = `${entry.member_id}/${entry.number}`;
  const own = (taken.get(place) ?? []).sort((a, b) => a.place - b.place);
  taken.delete(place);
  checkOf(entry.member_id).entry(entry, own);
}

/** Checks the tier of the account against the tier events, and its visits against the orders. */
async function checkStanding(db: Db, scope: Scope, accounts: readonly AccountRow[]): Promise<Finding[]> {
  const events = groupedBy(await tierEventsIn(db, scope), ({ member_id }) => member_id);
  const visits = new Map((await visitsIn(db, scope)).map((each) => [each.memberId, each]));
  const gone = groupedBy(await mergesIn(db, scope), ({ keptId }) => keptId);
  const findings: Finding[] = [];
  for (const account of accounts) {
    findings.push(...tierFindings(account, events.get(account.member_id) ?? []));
    const own = visits.get(account.member_id);
    if (!gone.has(account.member_id)) findings.push(...visitFindings(account, own));
    else findings.push(...mergedVisitFindings(account, own));
    events.delete(account.member_id);
  }
  for (const [memberId, [first]] of events)
    if (first !== undefined)
      findings.push({ table: "loyalty_tier_events", row: `${memberId}/${first.number}`, memberId, fault: { code: "surplus" } });
  return findings;
}

function tierFindings(account: AccountRow, events: readonly LoyaltyTierEventsTable[]): Finding[] {
  const { member_id: memberId } = account;
  const findings: Finding[] = [];
  let tier: string | null = null;
  for (const [index, event] of events.entries()) {
    const place = { table: "loyalty_tier_events", row: `${memberId}/${event.number}`, memberId } as const;
    findings.push(...compared(place, "number", event.number, index + 1), ...compared(place, "from_tier", event.from_tier, tier));
    tier = event.to_tier;
  }
  const place = { table: "loyalty_accounts", row: memberId, memberId } as const;
  findings.push(...compared(place, "tier", account.tier, tier));
  findings.push(...compared(place, "tier_since_ms", account.tier_since_ms, events.at(-1)?.at_ms ?? null));
  // The date of the review depends on a programme that may have changed since. So the check compares only whether there is a date.
  const review = account.tier_review_at_ms;
  if ((review === null) !== (tier === null))
    findings.push({ ...place, fault: { code: "differs", column: "tier_review_at_ms", stored: review, counted: null } });
  return findings;
}

function visitFindings(account: AccountRow, visits: Visits | undefined): Finding[] {
  const place = { table: "loyalty_accounts", row: account.member_id, memberId: account.member_id } as const;
  const newestMs = visits?.newestMs ?? null;
  const isNear = newestMs !== null && Math.abs((account.visited_at_ms ?? 0) - newestMs) <= CLOCKS_APART_MS;
  return [
    ...compared(place, "visited_at_ms", account.visited_at_ms, isNear ? account.visited_at_ms : newestMs),
    ...compared(place, "has_bought", account.has_bought, visits?.hasBought === true ? 1 : 0),
  ];
}

/**
 * The kept member inherits the visits of a merged member. So its newest visit may be later than its own orders show, but not earlier. And
 * it may have bought without an order of its own.
 */
function mergedVisitFindings(account: AccountRow, visits: Visits | undefined): Finding[] {
  const newestMs = visits?.newestMs ?? null;
  const isTooOld = newestMs !== null && (account.visited_at_ms ?? Number.NEGATIVE_INFINITY) < newestMs;
  const hasLost = visits?.hasBought === true && account.has_bought === 0;
  return visitFindings(account, visits).filter(({ fault }) => {
    return fault.code === "differs" && (fault.column === "visited_at_ms" ? isTooOld : hasLost);
  });
}

function groupedBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}
