import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ZodType } from "zod";
import { Merchants } from "../../../src/accounts/merchants.ts";
import { Links } from "../../../src/accounts/shop/links.ts";
import { type Application, compose } from "../../../src/app/compose.ts";
import { type Config, readConfig } from "../../../src/app/config.ts";
import { storeOptionsOf } from "../../../src/app/database.ts";
import { createLog } from "../../../src/app/logging.ts";
import { notificationSchema } from "../../../src/contracts/events/schema.ts";
import { cashSchema, closeShiftSchema, openShiftSchema, saleSchema, salesReturnSchema } from "../../../src/contracts/fiscal/schema.ts";
import { activationSchema, deactivationSchema, eventSchema } from "../../../src/contracts/vendor/schema.ts";
import { systemChance, systemClock } from "../../../src/kernel/clock.ts";
import { LoyaltyKeys } from "../../../src/loyalty/connection/keys.ts";
import { createSeal, type Seal } from "../../../src/security/seal.ts";
import { openStore, type Store } from "../../../src/store/database.ts";
import { moscowTime } from "../../../src/tools/demo/ledger.ts";
import { cashBody, returnBody, saleBody, shiftBody, type TillContext } from "../../../src/tools/sandbox/caller/bodies.ts";
import type { Call } from "../../../src/tools/sandbox/caller/call.ts";
import { signedCall } from "../../../src/tools/sandbox/caller/fiscal-call.ts";
import type { FiscalOperation } from "../../../src/tools/sandbox/caller/fiscal-operation.ts";
import { activation, type Installation, type Solution } from "../../../src/tools/sandbox/caller/installation.ts";
import { PLATFORM_NAMES } from "../../../src/tools/sandbox/caller/names.ts";
import { makeQrKey } from "../../../src/tools/sandbox/caller/qr-key.ts";
import { QrKeyAddress } from "../../../src/tools/sandbox/caller/qr-key-address.ts";
import { CASHIER, GOODS } from "../../../src/tools/sandbox/caller/shop.ts";
import { makeSigningKey } from "../../../src/tools/sandbox/caller/signing-key.ts";
import { signToken, TOKEN_LIFE_S } from "../../../src/tools/sandbox/caller/vendor-token.ts";

import type { BodyOfContract } from "./contract-body.ts";
import { type MoneyAccess, moneyBodies } from "./money-bodies.ts";

const SOLUTION: Solution = {
  appId: "00000000-0000-4000-8000-000000000001",
  appUid: "fiscal-solution.dev",
  secretKey: "development-secret-not-for-production",
  names: PLATFORM_NAMES.canonical,
};
const API = "https://api.platform.example/api/remap/1.2";
/** Goods with a price of zero, so that the payments fit any number of positions. */
const BASKET = [{ goods: { ...GOODS.bread, priceKopecks: 0 }, quantityThousandths: 1_000 }];

/** An answer, or what came instead of an answer. */
export interface Answered {
  status: number;
  text: string;
}

/** The whole server in this process, with a shop whose shift is open, and another account for the vendor contract only. */
export class HostileShop {
  readonly #folder: string;
  readonly #application: Application;
  readonly #address: URL;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #installation = newInstallation();
  readonly #other = newInstallation();
  readonly #till: TillContext = {
    api: API,
    storeId: systemChance.uuid(),
    shiftId: systemChance.uuid(),
    shiftName: "00001",
    cashierId: systemChance.uuid(),
    cashier: CASHIER,
  };
  readonly #keys: QrKeyAddress;
  readonly #config: Config;
  #cookie: Promise<string> | undefined;
  #webhookSecret = "";
  #money: Pick<MoneyAccess, "qr" | "loyalty" | "hooks"> | undefined;

  private constructor(folder: string, application: Application, address: string, keys: QrKeyAddress, config: Config) {
    this.#folder = folder;
    this.#config = config;
    this.#keys = keys;
    this.#application = application;
    this.#address = new URL(address);
  }

  /** `changed`: variables of the environment, such as another database. */
  static async open(changed: Record<string, string> = {}): Promise<HostileShop> {
    const folder = mkdtempSync(join(tmpdir(), "fiscal-hostile-"));
    const keys = new QrKeyAddress();
    await keys.open();
    // Nobody answers at the platform's address, and the test does not need the platform.
    const environment = {
      QR_JWKS_URL: keys.url,
      DATA_DIR: join(folder, "data"),
      HOST: "127.0.0.1",
      PORT: "0",
      PLATFORM_BASE_URL: "http://127.0.0.1:9",
      ...changed,
    };
    const config = readConfig(environment);
    // The log makes its lines, with redaction, and throws them away.
    const log = createLog({ level: "info", destination: { write() {} } });
    const application = await compose(config, log, ({ reason }) => {
      throw new Error(reason);
    });
    const shop = new HostileShop(folder, application, await application.listen(), keys, config);
    await shop.#begin(config);
    return shop;
  }

  /** The database of the shop, through a connection of its own. */
  async withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = await openStore(storeOptionsOf(this.#config));
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  /** Answers a page of the console to an operator. */
  async consolePage(path: string): Promise<Answered> {
    const origin = `http://${this.#address.host}`;
    this.#cookie ??= fetch(`${origin}/console/login`, {
      method: "POST",
      redirect: "manual",
      headers: { origin },
      body: new URLSearchParams({ login: "operator", password: "operator-development-only" }),
    }).then(({ headers }) =>
      headers
        .getSetCookie()
        .map((one) => one.split(";")[0])
        .join("; "),
    );
    return this.send({ method: "GET", path, headers: { cookie: await this.#cookie } });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#application.close();
    await this.#keys.close();
    rmSync(this.#folder, { recursive: true });
  }

  /** The bodies that the contracts read. */
  get bodies(): BodyOfContract[] {
    return [
      this.#fiscal("openshift", openShiftSchema, () => shiftBody({ ...this.#till, shiftId: systemChance.uuid() }, "open", nowAtTill())),
      this.#fiscal("retaildemand", saleSchema, () => this.sale()),
      this.#fiscal("retaisalesreturn", salesReturnSchema, () => this.#return()),
      this.#fiscal("retaildrawercashin", cashSchema, () => cashBody(this.#till, "in", { ...head(), sumKopecks: 100 })),
      this.#fiscal("closeshift", closeShiftSchema, () => shiftBody({ ...this.#till, shiftId: systemChance.uuid() }, "close", nowAtTill())),
      this.#vendor("PUT", "", activationSchema, () => activationBody(this.#other)),
      this.#vendor("DELETE", "", deactivationSchema, () => ({ cause: "Suspend" })),
      this.#vendor("PUT", "/event", eventSchema, () => ({ cause: "PermissionsChanged", access: [{ resource: API, scope: ["custom"] }] })),
      {
        contract: "events",
        name: "notification",
        schema: notificationSchema,
        example: notificationBody,
        call: (bytes) => this.#notification(bytes),
      },
      ...moneyBodies(this.#access()),
    ];
  }

  /** A sale with additional or changed members. */
  sale(over: object = {}): object {
    return { ...saleBody(this.#till, { ...head(), lines: BASKET, payments: {} }), ...over };
  }

  saleCall(bytes: Buffer): Call {
    return signedCall("retaildemand", bytes, SOLUTION, this.#installation);
  }

  /** A return of this sale. */
  returnOf(saleId: string): object {
    return returnBody(this.#till, { ...head(), demandId: saleId, lines: BASKET, payments: {} });
  }

  returnCall(bytes: Buffer): Call {
    return signedCall("retaisalesreturn", bytes, SOLUTION, this.#installation);
  }

  /** Calls that have the text in one place each, but not in the body. */
  callsWith(text: string): { place: string; call: Call }[] {
    const { accountHeader, signatureHeader, requestIdHeader, vendorSuffix } = SOLUTION.names;
    const sale = this.saleCall(Buffer.from(JSON.stringify(this.sale())));
    const vendor = vendorCall("PUT", "", this.#other, Buffer.from(JSON.stringify(activationBody(this.#other))));
    const notification = this.#notification(Buffer.from(JSON.stringify(notificationBody())));
    const withHeader = (call: Call, name: string, value = text): { place: string; call: Call } => ({
      place: `${call.path.split("/")[1]} header ${name}`,
      call: { ...call, headers: { ...call.headers, [name]: value } },
    });
    const at = (call: Call, path: string) => ({ place: path.replace(text, "…"), call: { ...call, path: path.replaceAll(" ", "%20") } });
    return [
      withHeader(sale, accountHeader),
      withHeader(sale, signatureHeader),
      withHeader(sale, "content-type", `application/json${text}`),
      withHeader(sale, "content-encoding"),
      withHeader(sale, requestIdHeader),
      withHeader(vendor, "authorization"),
      withHeader(vendor, "authorization", `Bearer ${text}`),
      withHeader(vendor, requestIdHeader),
      withHeader(vendor, "cookie"),
      withHeader(vendor, "x-forwarded-for"),
      at(sale, `/fiscal/1/${text}`),
      at(sale, `/${text}`),
      at(vendor, `/vendor${vendorSuffix}/apps/${text}/a`),
      at(vendor, `/vendor${vendorSuffix}/apps/${SOLUTION.appId}/${text}`),
      at(notification, `/webhooks/${text}`),
      at(notification, `${notification.path}&requestId=${text}`),
      at(notification, `${notification.path}&${text}`),
    ];
  }

  send({ method, path, headers, body }: Call): Promise<Answered> {
    const { hostname, port } = this.#address;
    const length = body === undefined ? {} : { "content-length": body.length };
    return new Promise((resolve, reject) => {
      const outgoing = request({ agent: this.#agent, hostname, port, method, path, headers: { ...headers, ...length } }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.once("error", reject);
        incoming.once("end", () => resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }));
      });
      outgoing.once("error", reject);
      outgoing.end(body);
    });
  }

  async #begin(config: Config): Promise<void> {
    for (const installation of [this.#installation, this.#other]) await this.#must(this.#activationCall(installation));
    await this.withStore(async (store) => {
      const seal = createSeal(config.secretKey);
      const links = new Links({ store, seal, chance: systemChance });
      const key = { appId: SOLUTION.appId, accountId: this.#other.accountId };
      this.#webhookSecret = (await links.webhookSecret(key)).reveal();
      this.#money = await this.#moneyAccess({ store, seal, issuer: config.profile.qrIssuer });
    });
    const opening = Buffer.from(JSON.stringify(shiftBody(this.#till, "open", nowAtTill())));
    await this.#must(signedCall("openshift", opening, SOLUTION, this.#installation));
  }

  /** Makes the keys for the calls about money: the platform's key, the key of a till, and the banks' addresses. */
  async #moneyAccess({ store, seal, issuer }: { store: Store; seal: Seal; issuer: string }) {
    const account = { appId: SOLUTION.appId, accountId: this.#installation.accountId };
    const services = { store, seal, clock: systemClock, chance: systemChance };
    const qrKey = await makeQrKey();
    this.#keys.publish([qrKey]);
    const on = { app_id: account.appId, account_id: account.accountId, store_id: "*", name: "loyalty", value: "on", sealed: 0 as const };
    await store.commit((tx) =>
      tx
        .insertInto("settings")
        .values({ ...on, updated_at_ms: systemClock.nowMs() })
        .execute(),
    );
    const merchants = new Merchants(services);
    const [tbank, yookassa] = [await merchants.hookSecret(account, "tbank"), await merchants.hookSecret(account, "yookassa")];
    const token = (await new LoyaltyKeys(services).make(account)).reveal();
    return {
      qr: { key: qrKey, issuer },
      loyalty: { header: SOLUTION.names.loyaltyHeader, token },
      hooks: { tbank: tbank.reveal(), yookassa: yookassa.reveal() },
    };
  }

  #access(): MoneyAccess {
    if (this.#money === undefined) throw new Error("the shop is not open yet");
    return { api: API, accountId: this.#installation.accountId, storeId: this.#till.storeId, ...this.#money };
  }

  async #must(call: Call): Promise<void> {
    const { status, text } = await this.send(call);
    if (status !== 200) throw new Error(`${call.path}: ${status} ${text}`);
  }

  #fiscal(operation: FiscalOperation, schema: ZodType, example: () => object): BodyOfContract {
    return {
      contract: "fiscal",
      name: operation,
      schema,
      example,
      call: (bytes) => signedCall(operation, bytes, SOLUTION, this.#installation),
    };
  }

  #vendor(method: "PUT" | "DELETE", under: string, schema: ZodType, example: () => object): BodyOfContract {
    const call = (bytes: Buffer) => vendorCall(method, under, this.#other, bytes);
    return { contract: "vendor", name: `${method} installation${under}`, schema, example, call };
  }

  #activationCall(installation: Installation): Call {
    return vendorCall("PUT", "", installation, Buffer.from(JSON.stringify(activationBody(installation))));
  }

  #notification(body: Buffer): Call {
    const path = `/webhooks/${this.#webhookSecret}?requestId=${systemChance.uuid()}`;
    return { method: "POST", path, headers: { "content-type": "application/json" }, body };
  }

  #return(): object {
    return this.returnOf(systemChance.uuid());
  }
}

function newInstallation(): Installation {
  return { accountId: systemChance.uuid(), accountName: "hostile", registrationId: systemChance.uuid(), key: makeSigningKey() };
}

function nowAtTill(): string {
  return moscowTime(systemClock.nowMs());
}

function head(): { id: string; name: string; moment: string } {
  const id = systemChance.uuid();
  return { id, name: id.slice(0, 8), moment: nowAtTill() };
}

function activationBody(installation: Installation): object {
  const { body } = activation(SOLUTION, installation, "Install", { clock: systemClock, chance: systemChance, resource: API });
  return JSON.parse(body?.toString() ?? "{}") as object;
}

function vendorCall(method: "PUT" | "DELETE", under: string, { accountId }: Installation, body: Buffer): Call {
  const iat = Math.floor(systemClock.nowMs() / 1000);
  const token = signToken({ iat, exp: iat + TOKEN_LIFE_S, jti: systemChance.uuid() }, SOLUTION.secretKey);
  const headers = {
    authorization: `Bearer ${token}`,
    [SOLUTION.names.requestIdHeader]: systemChance.uuid(),
    "content-type": "application/json",
  };
  return { method, path: `/vendor${SOLUTION.names.vendorSuffix}/apps/${SOLUTION.appId}/${accountId}${under}`, headers, body };
}

function notificationBody(): object {
  const meta = { type: "product", href: `${API}/entity/product/${systemChance.uuid()}` };
  return { auditContext: { meta: { type: "audit", href: `${API}/audit/${systemChance.uuid()}` } }, events: [{ meta, action: "UPDATE" }] };
}
