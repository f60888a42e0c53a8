import { createHmac, createSign, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";

/** Development credentials (interface 2). */
const appId = "00000000-0000-4000-8000-000000000001";
const appUid = "fiscal-solution.dev";
const secretKey = "development-secret-not-for-production";

/** The server answers within 10 s (interface 5), and a busy machine takes longer for the way. */
const answerMs = 30_000;

export type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>>; readonly text: string };

/** Plays the platform: installs with a key pair of its own, and signs what it sends (platform-contracts 3.2, 3.4, 4.2). */
export class Platform {
  readonly #base: string;
  readonly #privateKey: KeyObject;
  readonly #publicKey: string;
  readonly #accountId = randomUUID();
  readonly #registrationId = randomUUID();
  readonly #store = meta("RetailStore");
  #shift = meta("RetailShift");

  constructor(base: string) {
    this.#base = base;
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    this.#privateKey = privateKey;
    this.#publicKey = publicKey.export({ type: "spki", format: "der" }).toString("base64");
  }

  install(): Promise<Answer> {
    const body = {
      appUid,
      accountName: "independent",
      cause: "Install",
      access: [{ resource: "https://api.platform.example/api/remap/1.2", scope: ["admin"], access_token: "token" }],
      additional: { fiscalApi: { id: this.#registrationId, token: this.#publicKey } },
    };
    const headers = { Authorization: `Bearer ${token()}`, X_Platform_RequestId: randomUUID() };
    return this.#send("PUT", `/vendor/api/platform/vendor/1.0/apps/${appId}/${this.#accountId}`, JSON.stringify(body), headers);
  }

  openShift(): Promise<Answer> {
    this.#shift = meta("RetailShift");
    return this.fiscal("PUT", "openshift", this.document({ openMoment: moment() }));
  }

  closeShift = () => this.fiscal("PUT", "closeshift", this.document({ closeMoment: moment() }));
  sale = (fields: object) => this.fiscal("POST", "retaildemand", this.document({ ...meta("RetailDemand"), moment: moment(), ...fields }));
  saleReturn = (fields: object) =>
    this.fiscal("POST", "retaisalesreturn", this.document({ ...meta("RetailSalesReturn"), moment: moment(), ...fields }));
  cashIn = (sum: string) =>
    this.fiscal("POST", "retaildrawercashin", this.document({ ...meta("RetailDrawerCashIn"), moment: moment(), sum }));
  cashOut = (sum: string) =>
    this.fiscal("POST", "retaildrawercashout", this.document({ ...meta("RetailDrawerCashOut"), moment: moment(), sum }));

  document(fields: object): object {
    const cashier = { ...meta("Employee"), firstName: "Ольга", middleName: "Игоревна", lastName: "Петрова" };
    return { retailShift: this.#shift, retailStore: this.#store, cashier, name: "00031", ...fields };
  }

  fiscal(method: string, route: string, body: object): Promise<Answer> {
    const text = JSON.stringify(body);
    const signature = createSign("RSA-SHA256").update(text).sign(this.#privateKey, "base64");
    const headers = { "X-Platform-Fiscal-Account-Id": this.#registrationId, "X-Platform-Fiscal-Signature": signature };
    return this.#send(method, `/fiscal/1/${route}`, text, headers);
  }

  async #send(method: string, path: string, body: string, headers: Record<string, string>): Promise<Answer> {
    const signal = AbortSignal.timeout(answerMs);
    const response = await fetch(this.#base + path, { method, body, signal, headers: { "Content-Type": "application/json", ...headers } });
    const text = await response.text();
    const parsed: Answer["body"] = text === "" ? {} : JSON.parse(text);
    return { status: response.status, body: parsed, text };
  }
}

export const meta = (type: string) => {
  const id = randomUUID();
  return { meta: { href: `https://api.platform.example/api/remap/1.2/entity/${type.toLowerCase()}/${id}`, id, type, idType: "native" } };
};

/** Moscow wall clock, `YYYY-MM-DD HH:MM:SS`. */
export const moment = (): string => new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 19).replace("T", " ");

export const line = (name: string, fields: object) => ({
  assortment: { ...meta("Product"), name },
  uom: { name: "шт", code: "796" },
  pack: null,
  vatEnabled: true,
  marks: [],
  ...fields,
});

const token = (): string => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1000);
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part({ iat: now, exp: now + 300, jti: randomUUID() })}`;
  return `${signed}.${createHmac("sha256", secretKey).update(signed).digest("base64url")}`;
};
