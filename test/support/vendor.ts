import { randomUUID } from "node:crypto";
import request, { type Response } from "supertest";
import { credentialTable } from "../../src/accounts/credentials.ts";
import type { InstallationKey } from "../../src/accounts/installation.ts";
import { Installations } from "../../src/accounts/installations.ts";
import { SeenTokens } from "../../src/accounts/seen-tokens.ts";
import { Settings } from "../../src/accounts/settings.ts";
import { Links } from "../../src/accounts/shop/links.ts";
import { ShopObjects } from "../../src/accounts/shop/shop-objects.ts";
import { Subscriptions } from "../../src/accounts/shop/subscriptions.ts";
import { vendorRoutes } from "../../src/contracts/vendor/routes.ts";
import { application } from "../../src/http/application.ts";
import { LongBodies } from "../../src/http/bodies/long-bodies.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import type { Log } from "../../src/kernel/log.ts";
import { PLATFORM_PROFILES, type PlatformProfileName } from "../../src/kernel/platform-profile.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { createSeal } from "../../src/security/seal.ts";
import { openMemoryStore } from "./memory-store.ts";
import { signToken } from "./vendor-token.ts";
import { VirtualClock } from "./virtual-clock.ts";

export const NOW_MS = Date.parse("2026-03-02T09:00:00Z");

/** Two entries of the catalogue. Some libraries refuse the secret of the second one as too short. */
export const FIRST = { appId: "0b6ff3a0-6a0f-4f0a-9f39-3c1f0f6d0001", appUid: "till.shop-tools", secretKey: "the first secret" };
export const SECOND = { appId: "0b6ff3a0-6a0f-4f0a-9f39-3c1f0f6d0002", appUid: "till-next.shop-tools", secretKey: "s2" };
export type Entry = typeof FIRST;

/** Made once, because deriving the key is slow on purpose. */
const SEAL = createSeal(new Secret("key of the tests"));

export const ACCESS_TOKEN = "9f0c2d6f5e1a4b7c8d9e0f1a2b3c4d5e6f708192";

/** The body of platform-contracts 3.4. */
export function installBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    appUid: FIRST.appUid,
    accountName: "bakery-north",
    cause: "Install",
    access: [
      {
        resource: "https://api.platform.example/api/remap/1.2",
        scope: ["custom"],
        permissions: { retailStore: { view: "ALL" } },
        access_token: ACCESS_TOKEN,
      },
    ],
    subscription: {
      tariffId: "5d1f0c52-8c52-4f1d-9a53-0b6f3ad61d10",
      trial: true,
      tariffName: "Start",
      notForResale: false,
      partner: false,
    },
    ...changes,
  };
}

export interface VendorCall {
  method?: "PUT" | "DELETE" | "GET" | "POST" | "PATCH";
  entry?: Entry;
  accountId?: string;
  /** A path after the account: `/event`. */
  under?: string;
  /** Replaces the whole path. */
  path?: string;
  /** An object is sent as JSON. Text and bytes are sent unchanged. */
  body?: object | string | Buffer;
  /** Replaces the new token of the entry. */
  token?: string;
  /** Replaces Bearer and the token. null: no header. */
  authorization?: string | null;
  /** null: no header. */
  requestId?: string | null;
  headers?: Record<string, string>;
}

export type VendorServer = Awaited<ReturnType<typeof openVendor>>;

/** The vendor contract over HTTP with an empty database. `set` decides which installations are complete. */
export async function openVendor(options: { complete?: boolean; profile?: PlatformProfileName } = {}) {
  const clock = new VirtualClock(NOW_MS);
  const store = await openMemoryStore();
  const seal = SEAL;
  const installations = new Installations({ store, seal, clock });
  const settings = new Settings({ store, seal, clock, defaults: {}, parseRegister, parseAcquirer: () => ({ kind: "none" }) });
  const lines: LogLine[] = [];
  const profile = PLATFORM_PROFILES[options.profile ?? "canonical"];
  const set = {
    complete: options.complete ?? false,
    isComplete: async (key: InstallationKey) => set.complete || settings.hasRegister(key),
  };
  const router = vendorRoutes({
    profile,
    credentials: credentialTable([FIRST, SECOND].map((entry) => ({ ...entry, secretKey: new Secret(entry.secretKey), test: true }))),
    installations,
    seenTokens: new SeenTokens({ store, clock }),
    clock,
    longBodies: new LongBodies(clock),
    isComplete: (key) => set.isComplete(key),
    activated: () => {},
  });
  const app = application({
    requestIdHeader: profile.headers.requestId,
    mounts: [{ base: "/vendor", router }],
    log: collectingLog(lines),
    clock,
    chance: systemChance,
    observe() {},
  });
  const send = (call: VendorCall): Promise<Response> => sendCall(app, profile.headers.requestId, profile.vendorSegment, clock, call);
  const shop = {
    links: new Links({ store, seal, chance: systemChance }),
    objects: new ShopObjects(store),
    subscriptions: new Subscriptions({ store, clock, log: collectingLog(lines) }),
  };
  return { clock, store, installations, settings, shop, lines, set, app, send, close: () => store.close() };
}

/** A new token of the entry, as the platform makes them. */
export function tokenOf(entry: Entry, clock: { nowMs(): number }, claims: Record<string, unknown> = {}): string {
  const iat = Math.floor(clock.nowMs() / 1000);
  return signToken({ iat, exp: iat + 300, jti: randomUUID(), ...claims }, entry.secretKey);
}

export interface LogLine {
  level: string;
  values: Record<string, unknown>;
  text: string;
}

/** Accepts only `emulator:NAME`, with or without options. */
export function parseRegister(address: string): { kind: "address" } | { kind: "invalid"; problem: string } {
  return /^emulator:[a-z0-9-]+(\?[a-zA-Z]+=\w+(&[a-zA-Z]+=\w+)*)?$/.test(address)
    ? { kind: "address" }
    : { kind: "invalid", problem: "known is emulator:NAME" };
}

async function sendCall(
  app: Parameters<typeof request>[0],
  requestIdHeader: string,
  segment: string,
  clock: VirtualClock,
  call: VendorCall,
) {
  const entry = call.entry ?? FIRST;
  const path = call.path ?? `/vendor/api/${segment}/vendor/1.0/apps/${entry.appId}/${call.accountId}${call.under ?? ""}`;
  const test = request(app)[METHODS[call.method ?? "PUT"]](path);
  const authorization = call.authorization === undefined ? `Bearer ${call.token ?? tokenOf(entry, clock)}` : call.authorization;
  if (authorization !== null) test.set("Authorization", authorization);
  if (call.requestId !== null) test.set(requestIdHeader, call.requestId ?? randomUUID());
  if (call.body !== undefined) test.set("Content-Type", "application/json");
  for (const [name, value] of Object.entries(call.headers ?? {})) test.set(name, value);
  if (call.body === undefined) return test;
  if (Buffer.isBuffer(call.body)) return test.serialize((bytes) => bytes).send(call.body);
  return test.send(typeof call.body === "string" ? call.body : JSON.stringify(call.body));
}

const METHODS = { PUT: "put", DELETE: "delete", GET: "get", POST: "post", PATCH: "patch" } as const;

function collectingLog(lines: LogLine[]): Log {
  const at = (level: string) => (values: Record<string, unknown>, text: string) => void lines.push({ level, values, text });
  return { trace: at("trace"), debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
