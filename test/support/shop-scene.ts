import { randomUUID } from "node:crypto";
import type { InstallationKey } from "../../src/accounts/installation.ts";
import { Installations } from "../../src/accounts/installations.ts";
import { Clients } from "../../src/accounts/shop/clients.ts";
import { Links, type MoneyScale } from "../../src/accounts/shop/links.ts";
import { type LookUp, type LookUpOutcome, SaleLookUp } from "../../src/accounts/shop/look-up.ts";
import { ShopReading } from "../../src/accounts/shop/reading.ts";
import { ShopObjects } from "../../src/accounts/shop/shop-objects.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import { Secret } from "../../src/kernel/secret.ts";
import type { Operation, SoldPosition, TradeOperation } from "../../src/model/operation.ts";
import type { Submitted } from "../../src/operations/submission.ts";
import { type Exchange, type Exchanged, openWire, type Wire } from "../../src/platform/api/exchange.ts";
import { createSeal } from "../../src/security/seal.ts";
import { keptLog } from "./http-server.ts";
import { openMemoryStore } from "./memory-store.ts";
import { eventually } from "./notifications.ts";
import { type TestSandbox, testSandbox } from "./sandbox.ts";
import { stocked } from "./sandbox-bodies.ts";
import { SHIFT, saleOperation, type Till } from "./till.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** Made once, because deriving the key is slow on purpose. */
const SEAL = createSeal(new Secret("key of the tests"));
export const NOW_MS = Date.parse("2026-03-02T09:00:00Z");
/** After so long the client is sure that the platform has begun a new count of its requests. */
export const WINDOW_MS = 3_100;

type Pass = () => Promise<Exchanged>;

/** The way to the sandbox, in which a test may change requests and answers. */
export class MeddledWire implements Wire {
  readonly #wire = openWire({ parallel: 8 });
  /** The paths of the requests, such as `entity/product/…`, without their parameters. */
  readonly asked: string[] = [];
  readonly filters: (string | null)[] = [];
  /** The number of requests that the sandbox is answering. */
  busy = 0;
  behave: (exchange: Exchange, pass: Pass) => Promise<Exchanged> = (_, pass) => pass();

  exchange(exchange: Exchange): Promise<Exchanged> {
    const { pathname, searchParams } = new URL(exchange.url);
    this.asked.push(pathname.replace("/api/remap/1.2/", ""));
    this.filters.push(searchParams.get("filter"));
    return this.behave(exchange, () => this.#pass(exchange));
  }

  async #pass(exchange: Exchange): Promise<Exchanged> {
    this.busy += 1;
    try {
      return await this.#wire.exchange(exchange);
    } finally {
      this.busy -= 1;
    }
  }

  /** The paths of the requests since the last call, sorted. */
  taken(): string[] {
    this.filters.length = 0;
    return this.asked.splice(0).toSorted();
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  abandon(): Promise<void> {
    return this.#wire.abandon();
  }
}

/** No answer comes until the caller gives up. */
export function silence({ signal }: Exchange): Promise<Exchanged> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

export function answered(status: number, body: unknown): Exchanged {
  return { status, headers: {}, body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)) };
}

export type ShopScene = Awaited<ReturnType<typeof openShopScene>>;

/**
 * A server's knowledge of a shop, with an empty database and a sandbox. Both have one clock, which the test moves. Several scenes may
 * share a sandbox: pass the sandbox of an earlier scene together with its clock.
 */
export async function openShopScene(
  options: Parameters<typeof testSandbox>[0] & { moneyScale?: MoneyScale; beside?: { sandbox: TestSandbox; clock: VirtualClock } } = {},
) {
  const { moneyScale = 1, beside, ...sandboxOptions } = options;
  const clock = beside?.clock ?? new VirtualClock(NOW_MS);
  const sandbox = beside?.sandbox ?? (await testSandbox({ clock, ...sandboxOptions }));
  const store = await openMemoryStore();
  const { log, lines } = keptLog();
  const installations = new Installations({ store, seal: SEAL, clock });
  const key: InstallationKey = { appId: randomUUID(), accountId: randomUUID() };
  await installations.activate(key, { accessToken: new Secret(sandbox.token) }, "active");
  const wire = new MeddledWire();
  const profile = { ...PLATFORM_PROFILES.canonical, baseUrl: sandbox.base };
  const clients = new Clients({ installations, profile, wire, clock, log });
  const links = new Links({ store, seal: SEAL, chance: systemChance });
  const objects = new ShopObjects(store);
  const outcomes: LookUpOutcome[] = [];
  const observe = (outcome: LookUpOutcome) => void outcomes.push(outcome);
  /** The look-up after another start of the server, perhaps with another FISCAL_MONEY_SCALE. */
  const lookUpWith = (scale: MoneyScale) => new SaleLookUp({ clients, objects, links, moneyScale: scale, clock, log, observe });
  const lookUp = lookUpWith(moneyScale);
  const reading = new ShopReading({ clients, objects, links, clock, log });
  return {
    clock,
    sandbox,
    store,
    lines,
    log,
    installations,
    key,
    wire,
    clients,
    links,
    objects,
    outcomes,
    lookUp,
    lookUpWith,
    reading,
    /** Looks up while the clock stands still, so no time limit passes meanwhile. */
    ask: (operation: Operation): Promise<LookUp> => lookUp.lookUp(key, operation),
    /** Looks up while time goes on. Returns the time that it took too. */
    async askWithin(operation: Operation, limitMs = 1_000): Promise<LookUp & { tookMs: number }> {
      const beganMs = clock.monotonicMs();
      let found: (LookUp & { tookMs: number }) | undefined;
      const asking = lookUp.lookUp(key, operation).then((result) => {
        found = { ...result, tookMs: clock.monotonicMs() - beganMs };
      });
      while (found === undefined && clock.monotonicMs() - beganMs < limitMs) await clock.advance(10);
      await asking;
      if (found === undefined) throw new Error("it took longer");
      return found;
    },
    /** Registers an operation. The platform's answer is awaited before the till's time goes on. */
    async register(till: Till, operation: TradeOperation, time: "stands still" | "goes on" = "stands still"): Promise<Submitted> {
      const before = outcomes.length;
      const submitted = till.submit({ ...operation, shift: SHIFT });
      await eventually(async () => {
        if (time === "goes on") await clock.advance(10);
        return outcomes.length > before;
      });
      await till.settled();
      return submitted;
    },
    /** Moves time in steps until the condition holds. Answers of the sandbox take no time. */
    timeGoesOn: (stepMs: number, until: () => boolean | Promise<boolean>): Promise<void> =>
      eventually(async () => {
        if (wire.busy === 0) await clock.advance(stepMs);
        return until();
      }),
    /** The warnings and errors so far. */
    complaints: () => lines.filter(({ level }) => level === "warn" || level === "error").map(({ level, text }) => `${level}: ${text}`),
    async close() {
      await lookUp.close();
      await wire.close();
      await store.close();
      if (beside === undefined) await sandbox.close();
    },
  };
}

/** A position with an object of the shop. */
export function sold({ type, id }: { type: string; id: string }, over: Partial<SoldPosition> = {}): SoldPosition {
  const { unit: _, ...bare } = firstPosition();
  return {
    ...bare,
    assortment: { id, type, name: "Товар" },
    quantityMillionths: 1_000_000,
    priceKopecks: 10_000,
    vatEnabled: false,
    ...over,
  };
}

/** A sale at the sandbox's first point of sale, paid in cash. Its document is not in the sandbox unless `over` names one. */
export function saleAt(
  { sandbox }: { sandbox: TestSandbox },
  positions: SoldPosition[],
  over: Partial<TradeOperation> = {},
): TradeOperation {
  const cashKopecks = positions.reduce((sum, each) => sum + (each.priceKopecks * each.quantityMillionths) / 1e6, 0);
  const sale = saleOperation(randomUUID());
  return { ...sale, storeId: stocked(sandbox, "retailstore").id, positions, payments: { ...sale.payments, cashKopecks }, ...over };
}

function firstPosition(): SoldPosition {
  const [position] = saleOperation("any").positions;
  if (position === undefined) throw new Error("a sale without positions");
  return position;
}
