import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import express, { type Express } from "express";
import supertest from "supertest";
import type { FiscalParty } from "../../src/accounts/installation.ts";
import { BUILT_IN_SETTINGS, type StoreSettings } from "../../src/accounts/settings-schema.ts";
import { type FiscalServices, fiscalRoutes } from "../../src/contracts/fiscal/routes.ts";
import { LongBodies } from "../../src/http/bodies/long-bodies.ts";
import { requestContext } from "../../src/http/request-context.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import type { Log } from "../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import type { DocumentFacts, RegisterIdentity } from "../../src/model/facts.ts";
import type { Submission, Submitted } from "../../src/operations/submission.ts";
import { VirtualClock } from "./virtual-clock.ts";

export const REGISTRATION_ID = "0d5f8b1e-2f3a-4d8f-8f5a-6a1f7f6f0c11";

export interface KeyPair {
  spki: Buffer;
  privateKey: KeyObject;
}

export function keyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { spki: publicKey.export({ type: "spki", format: "der" }), privateKey };
}

export function signatureOf(body: Buffer, { privateKey }: KeyPair): string {
  return sign("sha256", body, privateKey).toString("base64");
}

export function party(keys: KeyPair[], over: Partial<FiscalParty> = {}): FiscalParty {
  return { appId: "app", accountId: "account", state: "active", keys: keys.map(({ spki }) => ({ spki })), ...over };
}

export interface LogLine {
  level: keyof Log;
  values: Record<string, unknown>;
  text: string;
}

/** The fiscal contract alone. Submitted operations are kept, and `outcome` decides how they are answered. */
export interface Contract {
  app: Express;
  key: KeyPair;
  submitted: Submission[];
  lines: LogLine[];
  settings: Partial<StoreSettings>;
  /** Sends the body. It is signed with the installation's key unless `options` says otherwise. */
  send(path: string, body: object | string | Buffer, options?: SendOptions): supertest.Test;
}

export interface SendOptions {
  method?: "PUT" | "POST" | "GET" | "DELETE" | "PATCH";
  signature?: string | undefined;
  headers?: Record<string, string>;
}

export function contract(over: {
  key: KeyPair;
  parties?: Record<string, FiscalParty>;
  outcome?: (submission: Submission) => Submitted | Promise<Submitted>;
  services?: Partial<FiscalServices>;
  settings?: Partial<StoreSettings>;
}): Contract {
  const submitted: Submission[] = [];
  const lines: LogLine[] = [];
  const settings: Partial<StoreSettings> = { ...over.settings };
  const parties: Record<string, FiscalParty> = over.parties ?? { [REGISTRATION_ID]: party([over.key]) };
  const outcome = over.outcome ?? ((submission) => ({ kind: "done", answer: submission.answer({ facts: cashFacts() }), replayed: false }));
  const clock = over.services?.clock ?? new VirtualClock(0);
  const services: FiscalServices = {
    profile: PLATFORM_PROFILES.canonical,
    scales: { money: 1, cash: 100 },
    clock,
    longBodies: new LongBodies(clock),
    pairingAllowed: false,
    installations: { byRegistration: async (id) => parties[id] },
    settings: {
      of: async () => ({ ...BUILT_IN_SETTINGS, ...settings }),
      async set(_key, _store, name, text) {
        Object.assign(settings, { [name]: text });
        return { kind: "set" };
      },
    },
    async submit(submission) {
      submitted.push(submission);
      return outcome(submission);
    },
    ...over.services,
  };
  const app = express();
  app.use(requestContext({ requestIdHeader: services.profile.headers.requestId, chance: systemChance, log: listLog(lines) }));
  app.use("/fiscal", fiscalRoutes(services));
  const { headers } = services.profile;

  function send(path: string, body: object | string | Buffer, options: SendOptions = {}): supertest.Test {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const method = options.method ?? (/shift$/.test(path) ? "PUT" : "POST");
    const signature = "signature" in options ? options.signature : signatureOf(bytes, over.key);
    const all: Record<string, string> = {
      "content-type": "application/json",
      [headers.fiscalAccountId]: REGISTRATION_ID,
      ...(signature === undefined ? {} : { [headers.fiscalSignature]: signature }),
      ...options.headers,
    };
    const test = supertest(app)[METHODS[method]](path);
    for (const [name, value] of Object.entries(all)) if (value !== "") test.set(name, value);
    // Otherwise the client would serialize the bytes as JSON.
    test.serialize((data) => data);
    return method === "GET" ? test : test.send(bytes);
  }
  return { app, key: over.key, submitted, lines, settings, send };
}

const METHODS = { PUT: "put", POST: "post", GET: "get", DELETE: "delete", PATCH: "patch" } as const;

function listLog(lines: LogLine[]): Log {
  const at = (level: keyof Log) => (values: Record<string, unknown>, text: string) => {
    lines.push({ level, values, text });
  };
  return { trace: at("trace"), debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

export function identity(): RegisterIdentity {
  return {
    driveNumber: "9999078900001234",
    registrationNumber: "0000000042042817",
    serialNumber: "99990000000017",
    inn: "9600123459",
    sellerName: 'ООО "ОБРАЗЕЦ-РИТЕЙЛ"',
    address: "000000, г. Образцов, ул. Примерная, д. 1",
    place: 'Магазин "Образец № 1"',
    firmware: "EMU 1.0",
    ffd: "1.2",
    taxSystems: ["osn"],
    fnsSite: "www.nalog.gov.ru",
  };
}

export function cashFacts(): DocumentFacts {
  return {
    kind: "cash",
    document: "cash-in",
    identity: identity(),
    time: "2026-11-13 09:02:00",
    shiftNumber: 28,
    sumKopecks: 200_000,
    drawerKopecks: 200_000,
  };
}
