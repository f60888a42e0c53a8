import express, { type Express } from "express";
import supertest from "supertest";
import { WHOLE_ACCOUNT } from "../../src/accounts/settings.ts";
import { loyaltyRoutes } from "../../src/contracts/loyalty/routes.ts";
import { LongBodies } from "../../src/http/bodies/long-bodies.ts";
import { requestContext } from "../../src/http/request-context.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { PLATFORM_PROFILES, type PlatformProfileName } from "../../src/kernel/platform-profile.ts";
import { LOYALTY_KEY, LOYALTY_STORE, type LoyaltyBench } from "./loyalty-bench.ts";

const PRODUCT = "aa01b2c3-d4e5-46f7-8899-aabbccddeeff";
export const BUYER = "c0ffee00-aaaa-4bbb-8ccc-dddddddddddd";

/** The loyalty contract over HTTP, as a till of an installed account calls it. The bodies are those of the documentation. */
export class LoyaltyContract {
  readonly bench: LoyaltyBench;
  readonly app: Express;
  key: string;

  /** Installs the account, switches its programme on and connects a till. `profile`: whose names the server takes. */
  static async open(bench: LoyaltyBench, profile: PlatformProfileName = "canonical"): Promise<LoyaltyContract> {
    const { store, clock } = bench;
    const { appId, accountId } = LOYALTY_KEY;
    const atMs = clock.nowMs();
    await store.commit(async (tx) => {
      await tx
        .insertInto("installations")
        .values({
          app_id: appId,
          account_id: accountId,
          state: "active",
          account_name: "shop",
          access_token_sealed: null,
          installed_at_ms: atMs,
          updated_at_ms: atMs,
          subscription: null,
          permissions: null,
        })
        .execute();
      await tx
        .insertInto("settings")
        .values({
          app_id: appId,
          account_id: accountId,
          store_id: WHOLE_ACCOUNT,
          name: "loyalty",
          value: "on",
          sealed: 0,
          updated_at_ms: atMs,
        })
        .execute();
    });
    return new LoyaltyContract(bench, (await bench.keys.make(LOYALTY_KEY)).reveal(), profile);
  }

  /** The same account at another process. */
  beside(bench: LoyaltyBench): LoyaltyContract {
    return new LoyaltyContract(bench, this.key, "canonical");
  }

  private constructor(bench: LoyaltyBench, key: string, profileName: PlatformProfileName) {
    this.bench = bench;
    this.key = key;
    this.app = express();
    this.app.set("query parser", false);
    this.app.use(requestContext({ requestIdHeader: "X-Request", chance: systemChance, log: bench.services.log }));
    const profile = PLATFORM_PROFILES[profileName];
    const { clock } = bench;
    this.app.use(
      "/loyalty",
      loyaltyRoutes({ profile, loyalty: bench.loyalty, keys: bench.keys, clock, longBodies: new LongBodies(clock), observe: () => {} }),
    );
  }

  /** A `body` that is a text is sent unchanged, so that numbers keep their spelling. */
  post(path: string, body: object | string, options: { key?: string | null; type?: string } = {}) {
    const { key = this.key, type = "application/json" } = options;
    const request = supertest(this.app).post(`/loyalty${path}`).set("Content-Type", type);
    if (key !== null) request.set("Platform-Discount-API-Auth-Token", key);
    return request.send(typeof body === "string" ? body : JSON.stringify(body));
  }

  get(path: string, key = this.key) {
    return supertest(this.app).get(`/loyalty${path}`).set("Platform-Discount-API-Auth-Token", key);
  }

  async enrol(changes: object = {}): Promise<void> {
    const answer = await this.post("/counterparty", customer(changes));
    if (answer.status !== 201) throw new Error(`enrol was answered ${answer.status}: ${answer.text}`);
  }

  async balance(id = BUYER): Promise<number> {
    const answer = await this.post("/counterparty/detail", { ...store(), meta: { href: "", id } });
    return answer.body.bonusProgram.agentBonusBalance;
  }
}

export function store(): { retailStore: object } {
  return {
    retailStore: { meta: { href: `https://api.platform.example/entity/retailstore/${LOYALTY_STORE}`, id: LOYALTY_STORE }, name: "Магазин" },
  };
}

export function agent(id = BUYER): { agent: object } {
  return { agent: { meta: { href: `https://api.platform.example/entity/counterparty/${id}`, id } } };
}

export function customer(changes: object = {}): object {
  const meta = { href: `https://api.platform.example/entity/counterparty/${BUYER}`, id: BUYER };
  return {
    ...store(),
    meta,
    name: "Иван Петров",
    phone: "8 (903) 999-33-44",
    discountCardNumber: "100-200",
    statusCheck: "CHECKED",
    ...changes,
  };
}

export function position(quantity: number, price: number, changes: object = {}): object {
  return {
    assortment: { meta: { href: `https://api.platform.example/entity/product/${PRODUCT}`, id: PRODUCT } },
    quantity,
    price,
    ...changes,
  };
}

export function recalc(changes: object = {}): object {
  return { ...store(), ...agent(), positions: [position(3, 96)], bonusProgram: { transactionType: "EARNING" }, ...changes };
}

/** A sale of ten pieces at 100 roubles. Without spent points it earns 50 points by the default programme. */
export function sale(id: string, changes: object = {}): object {
  return {
    ...store(),
    ...agent(),
    meta: { href: `https://api.platform.example/entity/retaildemand/${id}`, id },
    name: id,
    moment: "2026-11-29 11:59:00",
    positions: [sold(10, 100)],
    bonusProgram: { bonusValueToSpend: 0, bonusValueToEarn: 50 },
    cashSum: 1000,
    noCashSum: 0,
    ...changes,
  };
}

export function sold(quantity: number, price: number, discountedPrice = price): object {
  return position(quantity, price, { discountPercent: 0, discountedPrice });
}

export function returned(id: string, saleId: string | undefined, changes: object = {}): object {
  return {
    ...store(),
    agent: {},
    meta: { href: `https://api.platform.example/entity/retailsalesreturn/${id}`, id },
    name: id,
    moment: "2026-11-29 11:59:30",
    ...(saleId === undefined ? {} : { demand: { meta: { href: "", id: saleId } } }),
    positions: [sold(10, 100)],
    cashSum: 1000,
    noCashSum: 0,
    ...changes,
  };
}
