import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeAccounts } from "../../src/app/accounts.ts";
import { type Config, readConfig } from "../../src/app/config.ts";
import { composeLoyalty, type LoyaltyComposition } from "../../src/app/loyalty.ts";
import { loyaltyRoutes } from "../../src/contracts/loyalty/routes.ts";
import { application } from "../../src/http/application.ts";
import { LongBodies } from "../../src/http/bodies/long-bodies.ts";
import { HttpServer } from "../../src/http/server.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import type { Seal } from "../../src/security/seal.ts";
import type { Store } from "../../src/store/database.ts";
import type { DatabaseKind, TestDatabase } from "../support/databases.ts";
import { LOYALTY_KEY } from "../support/loyalty-bench.ts";
import { fillMembers } from "./loyalty-fill/fill.ts";
import type { FillOptions } from "./loyalty-fill/members.ts";
import { bareLoyaltyRoutes } from "./loyalty-floor.ts";

/** The number of calls at once, like the tills of a shop. A row that makes one call after the other uses one connection. */
export const TILLS = 8;

const { appId: app_id, accountId: account_id } = LOYALTY_KEY;

/** The loyalty contract with the server's own parts on one database, and the floors of its calls. */
export class LoyaltyServer {
  readonly store: Store;
  readonly seal: Seal;
  readonly loyalty: LoyaltyComposition;
  readonly #key: string;
  readonly #base: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: TILLS });
  readonly #close: () => Promise<void>;

  private constructor(
    parts: { store: Store; seal: Seal; loyalty: LoyaltyComposition; key: string; base: string },
    close: () => Promise<void>,
  ) {
    this.store = parts.store;
    this.seal = parts.seal;
    this.loyalty = parts.loyalty;
    this.#key = parts.key;
    this.#base = parts.base;
    this.#close = close;
  }

  /** An account with this programme on a new database. With `filled` it has many members. */
  static async open(kind: DatabaseKind, programme: object, filled?: Omit<FillOptions, "nowMs">): Promise<LoyaltyServer> {
    const [clock, chance, log] = [systemClock, systemChance, silentLog];
    const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-loyalty-"));
    const database = await kind.make();
    const config = readConfig({ DATA_DIR: folder });
    const store = await readyStore(database, config, filled);
    const accounts = composeAccounts({ config, store, clock, chance, log, parseRegister: () => ({ kind: "invalid", problem: "none" }) });
    const loyalty = composeLoyalty({ config, store, accounts, clock, chance, log });
    const set = await loyalty.programmes.set(LOYALTY_KEY, JSON.stringify(programme), "bench");
    if (set.kind === "refused") throw new Error(`${set.place} ${set.reason}`);
    const key = (await loyalty.keys.make(LOYALTY_KEY)).reveal();
    const app = application({
      requestIdHeader: "X-Request",
      mounts: [
        {
          base: "/loyalty",
          router: loyaltyRoutes({ ...loyalty, profile: config.profile, clock, longBodies: new LongBodies(clock), observe: () => {} }),
        },
        { base: "/bare", router: bareLoyaltyRoutes(store, key) },
      ],
      log,
      clock,
      chance,
      observe: () => {},
    });
    const server = new HttpServer({ application: app, log, clock });
    // Quotes are stored a moment later, as in the server. The platform is not told of the connection.
    loyalty.quotes.start();
    const { host, port } = await server.listen("127.0.0.1", 0);
    return new LoyaltyServer({ store, seal: accounts.seal, loyalty, key, base: `http://${host}:${port}` }, async () => {
      await server.close(1_000);
      await loyalty.close();
      await accounts.close();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    });
  }

  /** Throws for an answer other than 2xx. `path`: a path of the contract or of a floor. */
  call(method: "GET" | "POST", path: string, body = ""): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "platform-discount-api-auth-token": this.#key };
      const sent = httpRequest(`${this.#base}${path}`, { method, agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          if ((response.statusCode ?? 0) >= 300) reject(new Error(`${response.statusCode}: ${text}`));
          else resolve(text);
        });
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#close();
  }
}

/** Makes the tables first, then fills them while no store has them open. */
async function readyStore(database: TestDatabase, { secretKey }: Config, filled?: Omit<FillOptions, "nowMs">): Promise<Store> {
  const store = await database.open();
  await store.migrate();
  await installed(store);
  if (filled === undefined) return store;
  await store.close();
  await fillMembers(database, secretKey, { ...filled, nowMs: systemClock.nowMs() });
  const again = await database.open();
  await again.migrate();
  return again;
}

async function installed(store: Store): Promise<void> {
  const updated_at_ms = systemClock.nowMs();
  await store.commit(async (tx) => {
    const installation = {
      app_id,
      account_id,
      state: "active",
      account_name: "shop",
      access_token_sealed: null,
      installed_at_ms: updated_at_ms,
      updated_at_ms,
      subscription: null,
      permissions: null,
    };
    await tx.insertInto("installations").values(installation).execute();
    const setting = { app_id, account_id, store_id: "*", name: "loyalty", value: "on", sealed: 0 as const, updated_at_ms };
    await tx.insertInto("settings").values(setting).execute();
  });
}
