import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { verifyLedger } from "../../src/loyalty/ledger/verify.ts";
import type { DatabaseKind } from "../support/databases.ts";
import { LOYALTY_STORE } from "../support/loyalty-bench.ts";
import { fiftyRules, recalcBody, returnBody, saleBody } from "./loyalty-bodies.ts";
import { compared, comparedSlowest, elapsedMs } from "./loyalty-compared.ts";
import { cardOf, ENTRIES_EACH, nameOf, phoneOf, platformId } from "./loyalty-fill/members.ts";
import { LoyaltyServer, TILLS } from "./loyalty-server.ts";
import { percentile, type Row, rounded, withFloor } from "./row.ts";
import { usedMemory } from "./used-memory.ts";

/** The number of members in the large database. A smaller number is for trying the rows out: the limits are for a million. */
// biome-ignore lint/style/noProcessEnv: a size for whoever tries the bench itself out, which no server reads
const MEMBERS = Number(process.env.LOYALTY_BENCH_MEMBERS ?? 1_000_000);
const FEW_MEMBERS = 1_000;
/** The number of expired lots. The upkeep makes an entry for each. */
const EXPIRED = Math.min(100_000, MEMBERS / 2);
/** The number of entries in the ledgers that are verified. */
const VERIFIED = Math.min(1_000_000, MEMBERS);
const RECEIPTS = Math.min(100_000, MEMBERS);
const MIB = 1024 * 1024;
const CALLS = 2_000;
const SEARCHES = 100;
/** The time limit of a whole run of the upkeep. */
const BUSY_LIMIT_MS = 600_000;
/** A prime number, so that the calls reach all members. */
const STEP = 7_919;

type Note = (text: string) => void;

const MILLION = ["loyalty.recalc.million", "loyalty.search.million.phone", "loyalty.search.million.card", "loyalty.search.million.word"];

interface Asked {
  wants(name: string): boolean;
  note: Note;
  /** Called with rows as soon as they are measured. */
  told(rows: readonly Row[]): void;
}

/** Rows that need a database with many members. */
export async function manyMembersRows(kind: DatabaseKind, asked: Asked): Promise<void> {
  const { wants, note, told } = asked;
  if ([...MILLION, "loyalty.busy"].some(wants)) await millionRows(kind, asked);
  if (wants("loyalty.memory")) told([await memoryRow(kind)]);
  if (wants("loyalty.verify")) told([await verifyRow(kind, note)]);
}

/** Returns another member at each call. */
function around(members: number): () => number {
  let next = 0;
  return () => {
    next = (next + STEP) % members;
    return next;
  };
}

async function millionRows(kind: DatabaseKind, { wants, note, told }: Asked): Promise<void> {
  const filledMs = systemClock.monotonicMs();
  const large = await LoyaltyServer.open(kind, fiftyRules(), { members: MEMBERS, expired: EXPIRED });
  note(`${MEMBERS} members with ${MEMBERS * ENTRIES_EACH} entries were written in ${seconds(filledMs)} s to ${kind.title}`);
  try {
    if (wants("loyalty.recalc.million")) told([await recalcRow(kind, large)]);
    if (MILLION.slice(1).some(wants)) told(await searchRows(large));
    if (wants("loyalty.busy")) told([await busyRow(large, note)]);
  } finally {
    await large.close();
  }
}

async function recalcRow(kind: DatabaseKind, large: LoyaltyServer): Promise<Row> {
  const small = await LoyaltyServer.open(kind, fiftyRules(), { members: FEW_MEMBERS });
  try {
    const [few, many] = [around(FEW_MEMBERS), around(MEMBERS)];
    return await comparedSlowest(
      "loyalty.recalc.million",
      CALLS,
      () => recalc(small, few()),
      () => recalc(large, many()),
    );
  } finally {
    await small.close();
  }
}

function recalc(server: LoyaltyServer, member: number): Promise<string> {
  return server.call("POST", "/loyalty/retaildemand/recalc", recalcBody(10, platformId(member)));
}

async function searchRows(server: LoyaltyServer): Promise<Row[]> {
  const next = around(MEMBERS);
  const ids = await server.store.read((db) => db.selectFrom("loyalty_members").select("id").limit(FEW_MEMBERS).execute());
  const row = () => server.call("GET", `/bare/row/${ids[next() % ids.length]?.id ?? ""}`);
  const search = async (text: string) => {
    const query = new URLSearchParams({ search: text, retailStoreId: LOYALTY_STORE });
    const answer = await server.call("GET", `/loyalty/counterparty?${query}`);
    if (answer.length < 50) throw new Error(`nobody was found by ${text}: ${answer}`);
  };
  return [
    await compared("loyalty.search.million.phone", SEARCHES, row, () => search(phoneOf(next()))),
    await compared("loyalty.search.million.card", SEARCHES, row, () => search(cardOf(next()))),
    await compared("loyalty.search.million.word", SEARCHES, row, () => search(nameOf(next()).split(" ")[0] ?? "")),
  ];
}

/** Quotes while the process that answers them writes expired lots, as a server does. */
async function busyRow(server: LoyaltyServer, note: Note): Promise<Row> {
  const next = around(MEMBERS);
  const timed = () => elapsedMs(() => recalc(server, next()));
  const [quiet, busy] = [[], []] as [number[], number[]];
  for (let n = 0; n < CALLS; n += 1) quiet.push(await timed());
  const startedMs = systemClock.monotonicMs();
  let isOver = false;
  const upkeep = server.loyalty.upkeep.run().finally(() => {
    isOver = true;
  });
  while (!isOver && systemClock.monotonicMs() - startedMs < BUSY_LIMIT_MS) busy.push(await timed());
  const written = isOver ? `${(await upkeep).members} members` : `less than ${EXPIRED}`;
  note(`the upkeep wrote what is over of ${written} in ${seconds(startedMs)} s, beside ${busy.length} quotes`);
  return withFloor({ name: "loyalty.busy", value: rounded(percentile(busy, 99)), unit: "ms, p99" }, percentile(quiet, 99));
}

async function verifyRow(kind: DatabaseKind, note: Note): Promise<Row> {
  const server = await LoyaltyServer.open(kind, fiftyRules(), { members: VERIFIED / ENTRIES_EACH, hasOrders: true });
  try {
    const startedMs = systemClock.monotonicMs();
    const { entries, orders, findings, isCut } = await verifyLedger(server.store);
    const row = { name: "loyalty.verify", value: rounded(Number(seconds(startedMs))), unit: "s" };
    if (findings.length > 0 || isCut || entries !== VERIFIED) throw new Error(`verify found ${JSON.stringify(findings.slice(0, 3))}`);
    note(`${entries} entries and ${orders} orders were counted anew`);
    return row;
  } finally {
    await server.close();
  }
}

/**
 * The memory of the process after all receipts, compared with its memory after a fifth of them. Each receipt is quoted, and every tenth
 * is returned.
 */
async function memoryRow(kind: DatabaseKind): Promise<Row> {
  const server = await LoyaltyServer.open(kind, fiftyRules(), { members: FEW_MEMBERS });
  try {
    const next = around(FEW_MEMBERS);
    const receipt = async (number: number) => {
      const buyer = platformId(next());
      await server.call("POST", "/loyalty/retaildemand/recalc", recalcBody(10, buyer));
      const id = systemChance.uuid();
      await server.call("POST", "/loyalty/retaildemand", saleBody(10, buyer, id));
      if (number % 10 === 0) await server.call("POST", "/loyalty/retailsalesreturn", returnBody(10, id));
    };
    const receipts = async (count: number) => {
      const left = Array.from({ length: count }, (_, number) => number).values();
      const till = async () => {
        for (const number of left) await receipt(number);
      };
      await Promise.all(Array.from({ length: TILLS }, till));
      await server.loyalty.quotes.flush();
      return usedMemory();
    };
    const early = await receipts(RECEIPTS / 5);
    const late = await receipts(RECEIPTS - RECEIPTS / 5);
    return withFloor({ name: "loyalty.memory", value: rounded(late / MIB), unit: "MiB" }, early / MIB);
  } finally {
    await server.close();
  }
}

function seconds(sinceMs: number): string {
  return ((systemClock.monotonicMs() - sinceMs) / 1_000).toFixed(2);
}
