import type { InstallationKey } from "../../accounts/installation.ts";
import { nextTurn } from "../../kernel/clock.ts";
import { present } from "../../kernel/present.ts";
import { lotOf } from "../../loyalty/ledger/entry.ts";
import { accountOf, lotsLeft } from "../../loyalty/ledger/ledger-queries.ts";
import { personalOf } from "../../loyalty/members/member.ts";
import type { MemberRow } from "../../loyalty/members/member-queries.ts";
import { listMembers, memberById } from "../../loyalty/members/member-queries.ts";
import { lotsOverPeriods } from "../../loyalty/points/lot-dates.ts";
import { balanceAt } from "../../loyalty/points/lots.ts";
import type { ExpiryPeriod } from "../../loyalty/programme/programme.ts";
import type { LoyaltyDesk } from "./services.ts";

export interface ListedMember {
  id: string;
  name: string;
  phone?: string;
  status: string;
  /** The points that the member can spend now. */
  points: number;
  debtPoints: number;
  createdAtMs: number;
}

interface MemberListing {
  members: readonly ListedMember[];
  /** True: the account has more members, or after a search may have more. */
  more: boolean;
}

const PAGE_ROWS = 200;
/** How many members are described in one turn of the event loop. For each member the account and the lots are read. */
const MEMBERS_A_STEP = 20;
/** The largest number of members of one search. */
const FOUND_ROWS = 20;

/**
 * Returns the account's members after the given member, the oldest first. With `text` it returns the members of a search, and ignores
 * `limit` and `after`. Merged and erased members are left out.
 */
export async function memberList(
  desk: Pick<LoyaltyDesk, "services" | "members" | "programmes">,
  key: InstallationKey,
  { text, limit, ...from }: { text?: string; limit: number; after?: { createdAtMs: number; id: string } },
): Promise<MemberListing> {
  const { services, programmes, members } = desk;
  const zone = await services.zoneOf(key, "");
  await programmes.prepare(key);
  const { periods } = await services.store.read((db) => programmes.current(db, key));
  const described = (row: MemberRow) => describedMember(services, row, periods, zone);
  if (text !== undefined) {
    const found = await members.search(key, text);
    const rows = await services.store.read((db) => Promise.all(found.map(({ id }) => memberById(db, key, id))));
    const listed = await Promise.all(rows.flatMap((row) => (row === undefined ? [] : [described(row)])));
    return { members: listed.flatMap((one) => one ?? []), more: found.length >= FOUND_ROWS };
  }
  const listed: ListedMember[] = [];
  let after = from.after;
  for (;;) {
    const place = after;
    const rows = await services.store.read((db) =>
      listMembers(db, key, { limit: PAGE_ROWS, ...(place === undefined ? {} : { after: place }) }),
    );
    for (const [nth, row] of rows.entries()) {
      if (nth % MEMBERS_A_STEP === 0) await nextTurn();
      const member = await described(row);
      if (member === undefined) continue;
      if (listed.length === limit) return { members: listed, more: true };
      listed.push(member);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return { members: listed, more: false };
    after = { createdAtMs: last.created_at_ms, id: last.id };
  }
}

/** Undefined for a merged or erased member. */
async function describedMember(
  { store, seal, clock }: LoyaltyDesk["services"],
  row: MemberRow,
  periods: readonly ExpiryPeriod[],
  zone: string,
): Promise<ListedMember | undefined> {
  const personal = row.merged_into === null ? personalOf(row, seal) : undefined;
  if (personal === undefined) return undefined;
  const { account, lots } = await store.read(async (db) => {
    return { account: await accountOf(db, row.id), lots: (await lotsLeft(db, row.id)).map(lotOf) };
  });
  const inForce = lotsOverPeriods(lots, periods, account?.visited_at_ms ?? undefined, zone);
  const { availablePoints, debtPoints } = balanceAt(inForce, account?.debt_points ?? 0, clock.nowMs());
  const { name, phone } = personal;
  const points = { points: availablePoints, debtPoints };
  return { id: row.id, name, status: row.status, ...points, createdAtMs: row.created_at_ms, ...present({ phone }) };
}
