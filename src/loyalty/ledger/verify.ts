import type { InstallationKey } from "../../accounts/installation.ts";
import type { OrderRow } from "../../store/loyalty-tables.ts";
import type { LoyaltyStore } from "../services.ts";
import { type Db, lockAccount } from "./ledger-queries.ts";
import type { Finding } from "./verify/finding.ts";
import { lockOrderWithId, lostOrders, ordersAfter, repeatedDocuments } from "./verify/order-verify-queries.ts";
import { checkCards } from "./verify/verify-gift-cards.ts";
import { checkMembers } from "./verify/verify-members.ts";
import { checkOrders } from "./verify/verify-orders.ts";
import { accountsIn, cardEntriesIn, cardsIn, lockCard, type Scope } from "./verify/verify-queries.ts";

const MEMBERS_AT_ONCE = 500;
const ORDERS_AT_ONCE = 2_000;
const CARDS_AT_ONCE = 500;
/** The largest number of entries that the accounts of one page have together, unless one account has more. It limits the lots in memory. */
const ENTRIES_OF_A_PAGE = 20_000;
/** The check ends after about this many findings. More would help nobody. */
const MAX_FINDINGS = 1_000;

interface Verification {
  members: number;
  entries: number;
  orders: number;
  giftCards: number;
  findings: Finding[];
  /** The check ended early: too many findings, or an aborted signal. */
  isCut: boolean;
}

/**
 * Recomputes the ledgers and returns stored rows that differ. A server may run at the same time, so findings in members, orders and gift
 * cards are checked again under a lock. Memory does not grow with the number of members. `key`: check only this installation. Only a run
 * over all installations searches for repeated documents, and for missing orders that other rows name.
 */
export async function verifyLedger(
  store: LoyaltyStore,
  { key, signal }: { key?: InstallationKey; signal?: AbortSignal } = {},
): Promise<Verification> {
  const verification: Verification = { members: 0, entries: 0, orders: 0, giftCards: 0, findings: [], isCut: false };
  const mayGoOn = () => {
    verification.isCut = signal?.aborted === true || verification.findings.length >= MAX_FINDINGS;
    return !verification.isCut;
  };
  const scope: Scope = key === undefined ? {} : { key };
  await verifyMembers(store, scope, verification, mayGoOn);
  if (mayGoOn()) await verifyOrders(store, key, verification, mayGoOn);
  if (mayGoOn()) await verifyCards(store, scope, verification, mayGoOn);
  if (mayGoOn() && key === undefined) await store.read(async (db) => void verification.findings.push(...(await findingsOfNoMember(db))));
  return verification;
}

async function verifyMembers(store: LoyaltyStore, scope: Scope, verification: Verification, mayGoOn: () => boolean): Promise<void> {
  let after: string | undefined;
  do {
    const from = after;
    const page = await store.read(async (db) => {
      const read = await accountsIn(db, from === undefined ? scope : { ...scope, after: from }, MEMBERS_AT_ONCE);
      const accounts = ofSize(read);
      const isLast = accounts.length === read.length && read.length < MEMBERS_AT_ONCE;
      const upTo = isLast ? undefined : accounts.at(-1)?.member_id;
      const range = { ...scope, ...(from === undefined ? {} : { after: from }), ...(upTo === undefined ? {} : { upTo }) };
      return { ...(await checkMembers(db, range, accounts)), members: accounts.length, upTo };
    });
    verification.members += page.members;
    verification.entries += page.entries;
    verification.findings.push(...(await checkedAgain(store, page.findings)));
    after = page.upTo;
  } while (after !== undefined && mayGoOn());
}

/**
 * Several queries read the rows of one member, and a server may book between them. So a member with findings is checked again in a
 * transaction that locks its account.
 */
async function checkedAgain(store: LoyaltyStore, findings: readonly Finding[]): Promise<Finding[]> {
  const suspects = new Set(findings.flatMap(({ memberId }) => memberId ?? []));
  const confirmed: Finding[] = [];
  for (const only of suspects) {
    const again = await store.commit(async (tx) => {
      const account = await lockAccount(tx, only);
      return checkMembers(tx, { only }, account === undefined ? [] : [account]);
    });
    confirmed.push(...again.findings);
    if (confirmed.length >= MAX_FINDINGS) break;
  }
  return confirmed;
}

function ofSize<Account extends { entry_number: number }>(accounts: readonly Account[]): Account[] {
  let entries = 0;
  const first = accounts.findIndex(({ entry_number: own }) => {
    entries += Math.max(0, own);
    return entries > ENTRIES_OF_A_PAGE;
  });
  return first === -1 ? [...accounts] : accounts.slice(0, Math.max(1, first));
}

async function verifyOrders(
  store: LoyaltyStore,
  key: InstallationKey | undefined,
  verification: Verification,
  mayGoOn: () => boolean,
): Promise<void> {
  let after = Number.MIN_SAFE_INTEGER;
  let orders: OrderRow[];
  do {
    const from = after;
    const page = await store.read(async (db) => {
      const read = await ordersAfter(db, from, key, ORDERS_AT_ONCE);
      return { read, findings: await checkOrders(db, read) };
    });
    orders = page.read;
    verification.orders += orders.length;
    for (const id of new Set(page.findings.map(({ row }) => Number(row)))) {
      verification.findings.push(
        ...(await store.commit(async (tx) => {
          const order = await lockOrderWithId(tx, id);
          return order === undefined ? [] : checkOrders(tx, [order]);
        })),
      );
    }
    after = orders.at(-1)?.id ?? after;
  } while (orders.length === ORDERS_AT_ONCE && mayGoOn());
}

async function verifyCards(store: LoyaltyStore, scope: Scope, verification: Verification, mayGoOn: () => boolean): Promise<void> {
  let after: string | undefined;
  do {
    const from = after;
    const page = await store.read((db) => readCards(db, from === undefined ? scope : { ...scope, after: from }));
    verification.giftCards += page.cards;
    for (const only of new Set(page.findings.map(({ row }) => row.split("/", 1)[0] ?? row))) {
      const again = await store.commit(async (tx) => {
        await lockCard(tx, only);
        return readCards(tx, { ...scope, only });
      });
      verification.findings.push(...again.findings);
    }
    after = page.upTo;
  } while (after !== undefined && mayGoOn());
}

async function readCards(db: Db, scope: Scope): Promise<{ cards: number; findings: Finding[]; upTo: string | undefined }> {
  const cards = await cardsIn(db, scope, CARDS_AT_ONCE);
  const upTo = cards.length < CARDS_AT_ONCE ? undefined : cards.at(-1)?.id;
  const entries = await cardEntriesIn(db, upTo === undefined ? scope : { ...scope, upTo });
  return { cards: cards.length, findings: checkCards(cards, entries), upTo };
}

async function findingsOfNoMember(db: Db): Promise<Finding[]> {
  const repeated = await repeatedDocuments(db, MAX_FINDINGS);
  const lost = await lostOrders(db, MAX_FINDINGS);
  return [
    ...repeated.map(({ document, times }): Finding => {
      return { table: "loyalty_orders", row: document, fault: { code: "repeated", times } };
    }),
    ...lost.map((id): Finding => ({ table: "loyalty_orders", row: String(id), fault: { code: "missing" } })),
  ];
}
