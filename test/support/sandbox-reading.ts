import { Account, FORGETFUL } from "../../src/tools/sandbox/account/account.ts";
import { defaultSettings, type SandboxSettings } from "../../src/tools/sandbox/settings.ts";
import type { EntityType, Reading } from "../../src/tools/sandbox/types/entity-type.ts";
import { fieldTable } from "../../src/tools/sandbox/types/field.ts";
import type { Values } from "../../src/tools/sandbox/values/stored.ts";
import { VirtualClock } from "./virtual-clock.ts";

export const BASE = "http://sandbox.example";

/** A type for tests, with the given table. */
export function typeOfTable(rows: string, more: Partial<EntityType> = {}): EntityType {
  return {
    name: "thing",
    fields: fieldTable(rows),
    lists: {},
    offers: new Set(),
    attributesOf: "thing",
    states: false,
    metadata: false,
    document: false,
    search: { match: "word-prefix", fields: ["name"] },
    order: ["id", "name"],
    ...more,
  };
}

/** The data of a list request: an empty account, the types, the query. */
export function readingOf(types: readonly EntityType[], query = "", settings: Partial<SandboxSettings> = {}): Reading {
  const account = new Account({ clock: new VirtualClock(Date.UTC(2026, 2, 5, 9)), seed: 1, log: FORGETFUL });
  return { account, catalogue: new Map(types.map((type) => [type.name, type])), call: callOf(query, settings) };
}

/** A list request to an existing account. */
export function readingIn(account: Account, catalogue: Reading["catalogue"], query: Readonly<Record<string, string>>): Reading {
  return { account, catalogue, call: callOf(new URLSearchParams(query).toString(), {}) };
}

/** The same account with another query. */
export function asked(reading: Reading, query: Readonly<Record<string, string>>): Reading {
  return { ...reading, call: { ...reading.call, query: new URLSearchParams(query) } };
}

/** Adds objects and returns their ids, in the order of creation. */
export function place(reading: Reading, type: string, all: readonly Values[]): string[] {
  const { account } = reading;
  return account.unlogged(() =>
    all.map((values) => {
      const id = account.newId();
      account.put({ type, id, values });
      return id;
    }),
  );
}

function callOf(query: string, settings: Partial<SandboxSettings>): Reading["call"] {
  return {
    version: "1.2",
    base: BASE,
    localBase: BASE,
    api: `${BASE}/api/remap/1.2`,
    caller: { kind: "user", employee: { type: "employee", id: "" }, login: "admin@shop", administrator: true },
    query: new URLSearchParams(query),
    language: "en",
    milliseconds: false,
    precise: false,
    mutedWebhooks: [],
    settings: { ...defaultSettings("canonical"), ...settings },
  };
}
