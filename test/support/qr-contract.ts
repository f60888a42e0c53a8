import { createHmac, createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { BlockList } from "node:net";
import express, { type Express } from "express";
import supertest from "supertest";
import { useUp } from "../../src/accounts/one-time-tokens.ts";
import { hooksRoutes } from "../../src/contracts/hooks/routes.ts";
import { qrRoutes } from "../../src/contracts/qrpay/routes.ts";
import { LongBodies } from "../../src/http/bodies/long-bodies.ts";
import { requestContext } from "../../src/http/request-context.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { KeySet } from "../../src/security/key-set.ts";
import { ACCOUNT, type PaymentBench, STORE } from "./payment-bench.ts";

export const ISSUER = "https://platform.example";

/** Made once, because a key takes a tenth of a second. */
const KEY: { privateKey: KeyObject; publicKey: KeyObject } = generateKeyPairSync("rsa", { modulusLength: 2_048 });

/** The QR payment contract and the notification addresses over HTTP, with the payments of a bench. */
export class QrContract {
  readonly bench: PaymentBench;
  readonly app: Express;
  readonly trustedProxies = new BlockList();
  #ids = 0;

  constructor(bench: PaymentBench) {
    this.bench = bench;
    const { clock, store, payments, notifications, services } = bench;
    const body = JSON.stringify({ keys: [{ ...KEY.publicKey.export({ format: "jwk" }), kid: "one" }] });
    const fetch = async () => ({ status: 200, body, cacheControl: undefined });
    const memory = { load: async () => undefined, save: async () => {} };
    const keys = new KeySet({ clock, log: services.log, address: "https://keys.example/jwks.json", issuer: ISSUER, fetch, memory });
    this.app = express();
    this.app.use(requestContext({ requestIdHeader: "X-Request", chance: systemChance, log: services.log }));
    const used = (token: Parameters<typeof useUp>[1]) => store.commit((tx) => useUp(tx, token));
    this.app.use("/qr", qrRoutes({ payments, useUp: used, keys, issuer: ISSUER, clock, longBodies: new LongBodies(clock) }));
    this.app.use("/hooks", hooksRoutes({ notifications, trustedProxies: this.trustedProxies, clock }));
  }

  token(claims: object = {}, header: object = {}): string {
    this.#ids += 1;
    const seconds = Math.floor(this.bench.clock.nowMs() / 1_000);
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const all = { alg: "RS256", kid: "one", ...header };
    const text = `${part(all)}.${part({ iss: ISSUER, id: `t-${this.#ids}`, iat: seconds, exp: seconds + 60, ...claims })}`;
    if (all.alg === "none") return `${text}.`;
    if (all.alg === "HS256") return `${text}.${createHmac("sha256", "secret").update(text).digest("base64url")}`;
    return `${text}.${createSign("RSA-SHA256").update(text).sign(KEY.privateKey).toString("base64url")}`;
  }

  body(changes: object = {}): object {
    return { accountId: ACCOUNT, retailStoreId: STORE, operationId: "operation-1", amount: 25_920, ...changes };
  }

  /** Sends a call and lets the bench's clock run until the answer comes. */
  async call(path: "qr" | "state" | "cancel", body: object | string = this.body(), options: { token?: string; type?: string } = {}) {
    const request = supertest(this.app)
      .post(`/qr/payment/${path}`)
      .set("Content-Type", options.type ?? "application/json")
      .set("Authorization", `Bearer ${options.token ?? this.token()}`)
      .send(typeof body === "string" ? body : JSON.stringify(body));
    return this.bench.settled(request.then((response) => response));
  }
}
