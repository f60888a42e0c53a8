import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { BUILT_IN_SETTINGS } from "../../src/accounts/settings-schema.ts";
import { ACQUIRERS, acquirerNamed, parseAcquirer } from "../../src/acquirers/catalogue.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { acquirersInUse } from "../../src/operator/payments/acquirers-in-use.ts";
import { examineAcquirers } from "../../src/operator/payments/examine-acquirers.ts";
import { Clients } from "../../src/payments/clients.ts";
import { testBank } from "../support/bank.ts";

/** Clients that call the bank at this address. */
function clientsAt(addresses: Record<string, string>): Clients {
  const dataDir = mkdtempSync(join(tmpdir(), "examined-"));
  const clients = new Clients({
    clock: systemClock,
    log: silentLog,
    settingsOf: () => Promise.resolve(BUILT_IN_SETTINGS),
    merchants: { settingOf: () => Promise.resolve(undefined) },
    acquirers: {
      kinds: ACQUIRERS,
      parse: parseAcquirer,
      services: { clock: systemClock, chance: systemChance, dataDir, addresses },
      observe: () => {},
    },
  });
  onTestFinished(async () => {
    await clients.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return clients;
}

async function resultOf(setting: string, addresses: Record<string, string> = {}) {
  const services = {
    clients: clientsAt(addresses),
    clock: systemClock,
    idOfNoPayment: (name: string) => acquirerNamed(name)?.idOfNoPayment,
  };
  const [examined] = await examineAcquirers(services, [{ setting, places: [] }]);
  return examined;
}

/** The setting with a wrong secret. */
const withWrongSecret = (setting: string) => setting.replace(/(secretKey|password)=[^&]*/, "$1=wrong");

describe("examining the acquirers in use", () => {
  it.each(["yookassa", "tbank"] as const)("tells whether %s takes the credentials, and leaves no payment there", async (name) => {
    const bank = await testBank(name);
    const addresses = { [name]: bank.base };
    expect(await resultOf(bank.acquirer, addresses)).toMatchObject({ acquirer: name, result: { kind: "answers" } });
    expect(await resultOf(withWrongSecret(bank.acquirer), addresses)).toMatchObject({
      result: { kind: "refuses-settings", reason: { code: "settings" } },
    });
    expect((await bank.order("GET", "/payments")).body).toEqual([]);
    await bank.close();
    expect(await resultOf(bank.acquirer, addresses)).toMatchObject({ result: { kind: "unreachable" } });
  });

  it("finds that the simulated acquirer answers, and that a setting cannot be used", async () => {
    expect(await resultOf("simulated")).toMatchObject({ result: { kind: "answers" } });
    expect(await resultOf("nobank?key=1")).toMatchObject({ result: { kind: "setting-invalid" } });
  });
});

describe("the acquirers in use", () => {
  const settingsOf = (byStore: Record<string, string | undefined>) => ({
    installations: { keys: async () => [{ appId: "app", accountId: "account" }] },
    settings: {
      knownStores: async () => Object.keys(byStore).filter((id) => id !== "*"),
      async of(_appId: string, _accountId: string, storeId: string) {
        const acquirer = byStore[storeId];
        if (acquirer === "sealed") throw new Failure("seal-key", "fault", "the key is another");
        return { ...BUILT_IN_SETTINGS, ...(acquirer === undefined ? {} : { acquirer }) };
      },
    },
  });

  it("are those of all points of sale, each once, and the server's default", async () => {
    const sources = settingsOf({ "*": "simulated", one: "tbank?a", two: "tbank?a", three: "none", four: undefined, five: "sealed" });
    const used = await acquirersInUse(sources, "yookassa?b");
    expect(used.map(({ setting, places }) => [setting, places.map(({ storeId }) => storeId)])).toEqual([
      ["yookassa?b", []],
      ["simulated", ["*"]],
      ["tbank?a", ["one", "two"]],
    ]);
    expect(await acquirersInUse(settingsOf({ "*": "none" }), "none")).toEqual([]);
  });
});
