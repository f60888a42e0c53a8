import { join } from "node:path";
import { expect, it } from "vitest";
import { Installations } from "../../src/accounts/installations.ts";
import { Settings } from "../../src/accounts/settings.ts";
import { zoneSetFor } from "../../src/cli/doctor/zone-set.ts";
import { doctorCommand } from "../../src/cli/doctor.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { parseAddress } from "../../src/registers/catalogue.ts";
import { createSeal } from "../../src/security/seal.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { temporaryFolder, ZONE } from "../support/registers.ts";

const SEAL = createSeal(new Secret("a key of the doctor's tests"));
const REGISTER = "shtrih-m+tcp://127.0.0.1:1";
const OMSK = "Asia/Omsk";
const POINTS = 8;

function accountsOf(store: Store) {
  const services = { store, seal: SEAL, clock: systemClock };
  const parseRegister = () => ({ kind: "address" }) as const;
  const settings = new Settings({ ...services, defaults: {}, parseRegister, parseAcquirer: () => ({ kind: "none" }) });
  return { installations: new Installations(services), settings, close: async () => {} };
}

/** A database with one readable point of sale, which has the register and a zone, and so many that cannot be read. */
async function filled(unreadable: number): Promise<string> {
  const file = join(await temporaryFolder(), "fiscal.sqlite");
  const store = await openStore({ kind: "sqlite", file });
  await store.migrate();
  const { installations, settings } = accountsOf(store);
  const [good, spoilt] = ["good", "spoilt"].map((accountId) => ({ appId: "app", accountId }));
  if (good === undefined || spoilt === undefined) throw new Error("no accounts");
  for (const key of [good, spoilt]) await installations.activate(key, {}, "active");
  for (const [name, text] of [
    ["register", REGISTER],
    ["timeZone", OMSK],
  ] as const) {
    await settings.set(good, "point", name, text);
  }
  const rows = Array.from({ length: unreadable }, (_, nth) => ({
    app_id: "app",
    account_id: "spoilt",
    store_id: `point-${nth}`,
    name: "timeZone",
    value: "Mars/Olympus",
    sealed: 0 as const,
    updated_at_ms: 1,
  }));
  if (rows.length > 0) await store.commit((tx) => tx.insertInto("settings").values(rows).execute());
  await store.close();
  return file;
}

async function zoneIn(file: string) {
  const address = parseAddress(REGISTER);
  if (address.kind !== "address") throw new Error(address.problem);
  return zoneSetFor({ store: { kind: "sqlite", file }, accountsOf }, address.address.canonical);
}

it("a point of sale whose settings cannot be read hides no other's time zone from the doctor", async () => {
  expect(await zoneIn(await filled(0))).toEqual({ zone: OMSK, unreadable: [] });
  const { zone, unreadable } = await zoneIn(await filled(1));
  expect(zone).toBe(OMSK);
  expect(unreadable).toEqual([expect.stringMatching(/^the point of sale point-0 of the account spoilt: .*timeZone/)]);
});

it("the doctor names a few of the points of sale whose settings cannot be read, and counts the others", async () => {
  const file = await filled(POINTS);
  const err: string[] = [];
  const io = { out() {}, err: (text: string) => err.push(text), signal: new AbortController().signal };
  const environment = () => ({
    dataDir: "",
    timeZone: ZONE,
    zoneSetFor: () => zoneIn(file),
    agents: () => Promise.reject(new Error("no agent was named")),
  });
  const command = doctorCommand({ environment, payments: () => Promise.reject(new Error("a register was named")) });
  expect(await command.run([REGISTER], io)).toBe(2);
  expect(err.filter((line) => line.startsWith("Left out, because its settings cannot be read: the point of sale point-"))).toHaveLength(5);
  expect(err).toContain("3 more points of sale were left out.");
});
