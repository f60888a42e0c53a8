import { createPublicKey } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { BlockList } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Request, type Response, Router } from "express";
import { jwtVerify } from "jose";
import { Merchants } from "../../src/accounts/merchants.ts";
import { type OneTimeToken, useUp } from "../../src/accounts/one-time-tokens.ts";
import { BUILT_IN_SETTINGS } from "../../src/accounts/settings-schema.ts";
import type { AcquirerKind } from "../../src/acquirers/acquirer.ts";
import { parseAcquirer } from "../../src/acquirers/catalogue.ts";
import { hooksRoutes } from "../../src/contracts/hooks/routes.ts";
import { qrRoutes } from "../../src/contracts/qrpay/routes.ts";
import { answerJson } from "../../src/http/answer.ts";
import { application } from "../../src/http/application.ts";
import { LongBodies } from "../../src/http/bodies/long-bodies.ts";
import { readBody } from "../../src/http/raw-body.ts";
import { HttpServer } from "../../src/http/server.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { Clients } from "../../src/payments/clients.ts";
import { Follower } from "../../src/payments/follower.ts";
import { BankNotifications } from "../../src/payments/notifications.ts";
import { Payments } from "../../src/payments/payments.ts";
import { PAYMENT_LEASE_MS, type PaymentServices } from "../../src/payments/services.ts";
import { Turns } from "../../src/payments/turns/turns.ts";
import { KeySet } from "../../src/security/key-set.ts";
import { createSeal } from "../../src/security/seal.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { Leases } from "../../src/store/lease.ts";
import { keySetOf, makeQrKey, type QrKey } from "../../src/tools/sandbox/caller/qr-key.ts";
import { makeQrToken } from "../../src/tools/sandbox/caller/qr-token.ts";

const ISSUER = "https://platform.example";
const APP = "00000000-0000-4000-8000-000000000001";
export const ACCOUNT = "11111111-0000-4000-8000-000000000001";
const STORE = "22222222-0000-4000-8000-000000000001";

/** A call of a till: the operation and the amount. */
export interface BenchCall {
  operationId: string;
  amount?: number;
  storeId?: string;
}

/** The QR contract over HTTP with a database in a file, and beside it the least work of one call. */
export class PaymentServer {
  readonly base: string;
  readonly store: Store;
  readonly payments: Payments;
  readonly keys: KeySet;
  readonly key: QrKey;
  readonly services: PaymentServices;
  readonly turns: Turns;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #close: () => Promise<void>;

  private constructor(
    parts: Pick<PaymentServer, "base" | "store" | "payments" | "keys" | "key" | "services" | "turns">,
    close: () => Promise<void>,
  ) {
    this.base = parts.base;
    this.store = parts.store;
    this.payments = parts.payments;
    this.keys = parts.keys;
    this.key = parts.key;
    this.services = parts.services;
    this.turns = parts.turns;
    this.#close = close;
  }

  /** `settingOf`: the acquirer of each point of sale. `follows`: whether payments are followed. */
  static async open(options: {
    kinds: readonly AcquirerKind[];
    settingOf: (storeId: string) => string;
    addresses?: Record<string, string>;
    follows: boolean;
  }): Promise<PaymentServer> {
    const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-payment-"));
    const [clock, chance, log] = [systemClock, systemChance, silentLog];
    const store = await openStore({ kind: "sqlite", file: join(folder, "bench.sqlite") });
    await store.migrate();
    const key = await makeQrKey();
    const body = JSON.stringify(keySetOf([key]));
    const keys = new KeySet({
      clock,
      log,
      address: "bench",
      issuer: ISSUER,
      fetch: async () => ({ status: 200, body, cacheControl: undefined }),
      memory: { load: async () => undefined, save: async () => {} },
    });
    let address = "";
    const services: PaymentServices = {
      store,
      clock,
      chance,
      log,
      leases: new Leases({ store, clock, chance, leaseMs: PAYMENT_LEASE_MS }),
      merchants: new Merchants({ store, seal: createSeal(new Secret("payment-bench-key")), clock, chance }),
      acquirers: {
        kinds: options.kinds,
        parse: (setting) => parseAcquirer(setting, options.kinds),
        services: { clock, chance, dataDir: folder, addresses: options.addresses ?? {} },
        observe: () => {},
      },
      settingsOf: async (_key, storeId) => ({ ...BUILT_IN_SETTINGS, acquirer: options.settingOf(storeId) }),
      activeInstallation: async (accountId) => ({ appId: APP, accountId }),
      storeNameOf: async () => "Лавка",
      notificationUrl: (acquirer, secret) => `${address}/hooks/${acquirer}/${secret}`,
      observe: { ended: () => {}, lateMoney: () => {} },
    };
    const clients = new Clients(services);
    const turns = new Turns(services, clients);
    const payments = new Payments(services, clients, turns);
    const notifications = new BankNotifications(services, clients, turns);
    const follower = new Follower(services, clients, turns);
    const used = (token: OneTimeToken) => store.commit((tx) => useUp(tx, token));
    const app = application({
      requestIdHeader: "X-Request",
      mounts: [
        { base: "/qr", router: qrRoutes({ payments, useUp: used, keys, issuer: ISSUER, clock, longBodies: new LongBodies(clock) }) },
        { base: "/hooks", router: hooksRoutes({ notifications, trustedProxies: new BlockList(), clock }) },
        { base: "/bare", router: bareRoutes(store, key) },
      ],
      log,
      clock,
      chance,
      observe: () => {},
    });
    const server = new HttpServer({ application: app, log, clock });
    const { host, port } = await server.listen("127.0.0.1", 0);
    address = `http://${host}:${port}`;
    if (options.follows) follower.start();
    return new PaymentServer({ base: address, store, payments, keys, key, services, turns }, async () => {
      await server.close(1_000);
      if (options.follows) await follower.close();
      await turns.idle();
      await clients.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    });
  }

  token(): string {
    return makeQrToken(this.key, { issuer: ISSUER, lifeS: 60, clock: systemClock, chance: systemChance });
  }

  /** Makes a call over the kept connection, as one till does. `bare`: the floor of a call. */
  call(path: "qr" | "state" | "cancel" | "bare", { operationId, amount = 25_920, storeId = STORE }: BenchCall): Promise<unknown> {
    const body = JSON.stringify({ accountId: ACCOUNT, retailStoreId: storeId, operationId, amount });
    const url = path === "bare" ? `${this.base}/bare` : `${this.base}/qr/payment/${path}`;
    return this.post(url, body, { authorization: `Bearer ${this.token()}` });
  }

  post(url: string, body: string, headers: Record<string, string> = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        url,
        { method: "POST", agent: this.#agent, headers: { "content-type": "application/json", ...headers } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString("utf8");
            if (response.statusCode !== 200) reject(new Error(`${response.statusCode}: ${text}`));
            else resolve(text.startsWith("{") ? JSON.parse(text) : text);
          });
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#close();
  }
}

/** The least work of a state call: RS256 is checked, the token's id stored, one row of a payment read. */
function bareRoutes(store: Store, { privateKey }: QrKey): Router {
  const publicKey = createPublicKey(privateKey);
  const router = Router();
  router.post("/", async (request: Request, response: Response) => {
    const body = await readBody(request);
    if (body.kind !== "body") return;
    const { operationId } = JSON.parse(body.bytes.toString("utf8")) as { operationId: string };
    const token = (request.headers.authorization ?? "").slice("Bearer ".length);
    const { payload } = await jwtVerify(token, publicKey, { algorithms: ["RS256"] });
    const { id, exp } = payload as { id: string; exp: number };
    const row = await store.commit(async (tx) => {
      await tx
        .insertInto("seen_tokens")
        .values({
          app_id: "bare",
          jti: id,
          request_id: null,
          method: "",
          path: "",
          body_hash: "",
          status: null,
          answer: null,
          expires_at_ms: exp * 1_000,
        })
        .execute();
      return tx
        .selectFrom("payments")
        .selectAll()
        .where("operation_id", "=", operationId)
        .where("account_id", "=", ACCOUNT)
        .limit(1)
        .executeTakeFirst();
    });
    answerJson(response, 200, { operationId, status: row !== undefined ? "IN_PROGRESS" : "UNKNOWN" });
  });
  return router;
}
