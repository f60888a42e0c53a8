import { BrokenPromise } from "../broken-promise.ts";
import { LoyaltyInvariants } from "./invariants.ts";
import { type Mix, Shop } from "./shop.ts";
import { LoyaltyStorage } from "./storage.ts";
import { CALM, type LoyaltyTroubles } from "./troubles.ts";
import { LoyaltyWorld } from "./world.ts";

/** A month of trade that a seed decides. */
export interface LoyaltyMonth {
  seed: number;
  /** The number of sales and returns. */
  receipts: number;
  days: number;
}

export interface LoyaltyMonthResult {
  sales: number;
  returns: number;
  members: number;
  entries: number;
  deaths: number;
  places: number;
  /** What was wrong. Undefined: every account is what the recount says, verification found nothing, and an altered row was found. */
  broken?: string;
}

const DAY_MS = 86_400_000;
const TILLS = 20;
/** The virtual time between two looks at whether the tills have ended. */
const STEP_MS = 2_000;
/** The number of receipts for each member at the beginning. */
const RECEIPTS_A_MEMBER = 50;
/** The number of full checks of the ledgers during the month. One more follows at its end. */
const LOOKS = 2;
const TROUBLES: LoyaltyTroubles = {
  ...CALM,
  server: { ...CALM.server, deathAtAwait: 0.0003, commitFailure: 0.0003, commitStall: 0.0003 },
  lostAnswer: 0.005,
  doubled: 0.01,
  repeated: 0.01,
  otherContent: 0.002,
  clockOff: 0.5,
};
/** The least chance of a death at a statement. A receipt has about forty statements, so a process dies once in some hundred receipts. */
const LEAST_DEADLY = 0.0001;
const DEATHS_OF_A_SHORT_MONTH = 0.2;
const MIX: Mix = {
  deeds: {
    sell: 700,
    takeBack: 180,
    grant: 30,
    upkeep: 2,
    code: 15,
    takeOver: 5,
    enrol: 40,
    merge: 6,
    undo: 3,
    issueCard: 18,
    programme: 1,
  },
  changedBeforeSale: 0.001,
  remembered: 1_000,
};

/** Plays tills and a desk, day by day, on two processes with one database. At the end all ledgers are counted anew. */
export async function playLoyaltyMonth(
  { seed, receipts, days }: LoyaltyMonth,
  told: (line: string) => void = () => {},
): Promise<LoyaltyMonthResult> {
  const storage = await LoyaltyStorage.open();
  try {
    const world = await LoyaltyWorld.begin(seed, {
      storage,
      deaths: { kind: "random" },
      troubles: troublesOf(receipts),
      processes: 2,
      stepMs: STEP_MS,
    });
    let found: string | undefined;
    try {
      await play(world, { seed, receipts, days }, told);
    } catch (error) {
      if (!(error instanceof BrokenPromise)) throw error;
      found = error.message;
    } finally {
      await world.end();
    }
    const { sales, returns, members } = world.recount;
    const { count } = await storage.store.db
      .selectFrom("loyalty_entries")
      .select((select) => select.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    const { deaths } = world;
    return {
      ...{ sales: sales.size, returns: returns.size, members: members.size, entries: count },
      ...{ deaths: deaths.count, places: deaths.places.size },
      ...(found === undefined ? {} : { broken: found }),
    };
  } finally {
    await storage.close();
  }
}

function troublesOf(receipts: number): LoyaltyTroubles {
  return { ...TROUBLES, deathAtStatement: Math.max(LEAST_DEADLY, DEATHS_OF_A_SHORT_MONTH / receipts) };
}

async function play(world: LoyaltyWorld, { receipts, days }: LoyaltyMonth, told: (line: string) => void): Promise<void> {
  const { clock, recount } = world;
  const shop = new Shop(world, MIX);
  const invariants = new LoyaltyInvariants(world);
  const made = () => recount.sales.size + recount.returns.size;
  await world.wait(shop.open(Math.max(3, Math.floor(receipts / RECEIPTS_A_MEMBER))));
  const startMs = clock.nowMs();
  for (let day = 1; day <= days; day += 1) {
    const until = Math.floor((receipts * day) / days);
    await world.wait(Promise.all(Array.from({ length: TILLS }, () => shop.workUntil(() => made() >= until))));
    await world.wait(shop.upkeep());
    if (day % Math.ceil(days / (LOOKS + 1)) === 0 && day < days) await invariants.check();
    told(`day ${day}: ${made()} receipts, ${recount.members.size} members, ${world.deaths.count} deaths`);
    clock.jumpTo(Math.max(clock.nowMs(), startMs + day * DAY_MS));
  }
  world.heal();
  await world.wait(shop.upkeep());
  await invariants.checkAtTheEnd();
}
