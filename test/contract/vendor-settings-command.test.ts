import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UsageError } from "../../src/cli/command.ts";
import { settingsCommand } from "../../src/cli/settings.ts";
import type { StatusResult } from "../../src/platform/vendor/status.ts";
import { FIRST, installBody, openVendor, SECOND, type VendorServer } from "../support/vendor.ts";

let vendor: VendorServer;
let accountId: string;
let notified: { acquirer: string; address?: string }[] = [];
let told: { appId: string; accountId: string }[];
let platform: StatusResult;
let closed: number;
beforeEach(async () => {
  vendor = await openVendor();
  accountId = randomUUID();
  told = [];
  notified = [];
  platform = { kind: "reported" };
  closed = 0;
});
afterEach(() => vendor.close());

/** Runs the command as the command line does. */
async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const lines: { out: string[]; err: string[] } = { out: [], err: [] };
  const { installations, settings } = vendor;
  const command = settingsCommand(async () => ({
    installations,
    settings,
    setUp: {
      installations,
      isComplete: (key) => vendor.set.isComplete(key),
      tell: async ({ appId, accountId: account }) => {
        told.push({ appId, accountId: account });
        return platform;
      },
    },
    shop: vendor.shop,
    notifications: async () => notified,
    loyalty: { tell: async () => ({ kind: "not-wanted" }), said: async () => undefined },
    close: async () => void closed++,
  }));
  const io = {
    out: (text: string) => void lines.out.push(text),
    err: (text: string) => void lines.err.push(text),
    signal: AbortSignal.any([]),
  };
  const code = await command.run(args, io);
  return { code, out: lines.out.join("\n"), err: lines.err.join("\n") };
}

const install = (entry = FIRST) => vendor.send({ accountId, entry, body: installBody({ appUid: entry.appUid }) });
const state = async (appId = FIRST.appId) => (await vendor.installations.get({ appId, accountId }))?.state;

describe("settings set", () => {
  it("saves the value, tells the platform once nothing is missing, and makes the installation active", async () => {
    await install();
    expect(await run("set", accountId, "store-1", "paper=58")).toMatchObject({
      code: 0,
      out: expect.stringContaining("still waits for settings"),
    });
    expect(told).toEqual([]);
    expect(await run("set", accountId, "store-1", "register=emulator:one")).toMatchObject({
      code: 0,
      out: expect.stringContaining("was told"),
      err: "",
    });
    expect(told).toEqual([{ appId: FIRST.appId, accountId }]);
    expect(await state()).toBe("active");
    expect(closed).toBe(2);
  });

  it("takes a point of sale that was never seen with a warning that names those that were", async () => {
    vendor.set.complete = true;
    await install();
    expect(await run("set", accountId, "store-1", "paper=58")).toMatchObject({ code: 0, err: "" });
    expect(await run("set", accountId, "store-1", "taxSystem=osn")).toMatchObject({ code: 0, err: "" });
    expect(await run("set", accountId, "*", "paper=80")).toMatchObject({ code: 0, err: "" });
    const mistyped = await run("set", accountId, "store-l", "paper=58");
    expect(mistyped).toMatchObject({ code: 0, out: expect.stringContaining("paper is set for store-l") });
    expect(mistyped.err).toBe(
      "warning: store-l has never been seen in this account; known are store-1. If it is mistyped take the value away with an empty one.",
    );
    expect((await run("set", accountId, "store-l", "paper=")).err).toBe("");
    expect((await run("set", accountId, "store-L", "paper=58")).err).toContain("known are store-1.");
  });

  it("tells the platform nothing about an installation that is active or gone", async () => {
    vendor.set.complete = true;
    await install();
    await run("set", accountId, "store-1", "paper=58");
    await vendor.send({ accountId, method: "DELETE", body: { cause: "Uninstall" } });
    expect((await run("set", accountId, "store-1", "paper=80")).code).toBe(0);
    expect(told).toEqual([]);
    expect(await vendor.settings.of(FIRST.appId, accountId, "store-1")).toMatchObject({ paper: "80" });
  });

  it("ends with 1 and says so when the platform cannot be reached; the value stays and a repeat makes up for it", async () => {
    await install();
    platform = { kind: "unreachable", reason: "ECONNREFUSED" };
    const failed = await run("set", accountId, "*", "register=emulator:one");
    expect(failed.code).toBe(1);
    expect(failed.err).toMatch(/saved.*cannot be reached \(ECONNREFUSED\)/);
    expect(await state()).toBe("settings_required");
    expect(await vendor.settings.hasRegister({ appId: FIRST.appId, accountId })).toBe(true);
    platform = { kind: "reported" };
    expect((await run("set", accountId, "*", "register=emulator:one")).code).toBe(0);
    expect(await state()).toBe("active");
  });

  it("takes a value with equals signs in it, and takes one away when it is empty", async () => {
    await install();
    await run("set", accountId, "store-1", "register=emulator:one?print=none");
    expect((await vendor.settings.of(FIRST.appId, accountId, "store-1")).register).toBe("emulator:one?print=none");
    expect((await run("set", accountId, "store-1", "register=")).out).toContain("no longer set");
    expect(await vendor.settings.list({ appId: FIRST.appId, accountId })).toEqual([]);
  });

  it("never repeats a password", async () => {
    await install();
    const { out, err } = await run("set", accountId, "store-1", "register=emulator:one?operatorPassword=7321");
    expect(out + err).not.toContain("7321");
  });

  it("asks for appId/accountId where an account uses several solutions", async () => {
    await install();
    await install(SECOND);
    await expect(run("set", accountId, "*", "paper=58")).rejects.toThrow(
      new RegExp(`${FIRST.appId}/${accountId}.*${SECOND.appId}/${accountId}`),
    );
    expect((await run("set", `${SECOND.appId}/${accountId}`, "*", "paper=58")).code).toBe(0);
    expect((await vendor.settings.of(SECOND.appId, accountId, "s")).paper).toBe("58");
    expect((await vendor.settings.of(FIRST.appId, accountId, "s")).paper).toBe("80");
  });

  it("refuses an unknown account and names the known ones", async () => {
    await expect(run("set", accountId, "*", "paper=58")).rejects.toThrow("no account has installed the solution yet");
    await install();
    await expect(run("set", "nobody", "*", "paper=58")).rejects.toThrow(`no account nobody; known are ${accountId}`);
    await expect(run("set", `${SECOND.appId}/${accountId}`, "*", "paper=58")).rejects.toThrow(UsageError);
    await expect(run("set", `a/b/${accountId}`, "*", "paper=58")).rejects.toThrow(UsageError);
  });

  it.each(["paper=81", "colour=red", "register=nowhere", "paper="])(
    "names an unknown account before anything that is wrong with %s",
    async (assignment) => {
      await install();
      for (const store of ["*", "s"]) {
        await expect(run("set", "nobody", store, assignment)).rejects.toThrow(/^no account nobody; known are/);
      }
    },
  );

  const wrong: [string, string, RegExp][] = [
    ["store-1", "colour=red", /no setting "colour".*register.*taxSystem/],
    ["store-1", "paper=57", /paper takes 58, 80 or a4/],
    ["store-1", "taxSystem=usn", /taxSystem takes osn, usn-income/],
    ["store-1", "register=usb:1", /known is emulator:NAME/],
    ["a b", "paper=58", /no point of sale/],
    ["store-1", "paper", /KEY=VALUE.*paper/],
    ["store-1", "=58", /KEY=VALUE/],
    ["store-1", "signatureScheme=pair", /whole account/],
  ];
  it.each(wrong)("refuses %s %s as wrong arguments and sets nothing", async (store, assignment, words) => {
    await install();
    const refused = run("set", accountId, store, assignment);
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(words);
    expect(await vendor.settings.list({ appId: FIRST.appId, accountId })).toEqual([]);
  });
});

describe("settings list", () => {
  it("shows where each acquirer in use sends its notifications, and says why there is no address", async () => {
    await install();
    notified = [{ acquirer: "yookassa", address: "https://solution.example/hooks/yookassa/a-secret" }, { acquirer: "tbank" }];
    const { out } = await run("list");
    expect(out).toContain("\n  notifications of yookassa: https://solution.example/hooks/yookassa/a-secret\n");
    expect(out).toMatch(/\n {2}notifications of tbank: no address, because PUBLIC_URL is not set/);
  });

  it("shows the shop as the platform has it: points of sale with their cashiers and owner, and what it will not tell us", async () => {
    await install();
    const key = { appId: FIRST.appId, accountId };
    expect((await run("list")).out).not.toContain("shop read");
    await vendor.shop.links.noteReading(key, { atMs: Date.UTC(2026, 10, 28, 9), toMs: 0, whole: true });
    const organization = { type: "organization", id: "org-1", name: 'ООО "Образец"', inn: "9600123459" } as const;
    const employee = { type: "employee", id: "emp-1", lastName: "Соколова", firstName: "Анна", middleName: "Сергеевна" } as const;
    const point = {
      type: "retailstore",
      id: "store-1",
      name: "Магазин",
      organizationId: "org-1",
      taxSystem: "osn" as const,
      cashierIds: ["emp-1"],
    } as const;
    const found = [organization, employee, { ...point, cashierIds: ["emp-1"] }].map((object) => ({
      type: object.type,
      id: object.id,
      object,
    }));
    await vendor.shop.objects.keep(key, found, 1);
    const { out } = await run("list");
    expect(out).toContain('store-1  Магазин, ООО "Образец" (ИНН 9600123459)');
    expect(out).toContain("cashiers: Соколова А.С.");
    expect(out).toContain("taxation at the platform: osn");
    expect(out).toContain("shop read from the platform at 2026-11-28T09:00:00.000Z");
  });

  it("says when there is nobody, and explains every key", async () => {
    const { code, out } = await run("list");
    expect(code).toBe(0);
    expect(out).toContain("No account has installed");
    expect(out).toMatch(/taxSystem .*Takes osn, usn-income/);
  });

  it("shows account, state and values, passwords as ***, and why fiscal calls are refused", async () => {
    vendor.set.complete = true;
    await vendor.send({ accountId, body: installBody({ additional: { fiscalApi: { id: "reg-1", token: "no key" } } }) });
    await run("set", accountId, "store-1", "register=emulator:one?operatorPassword=7321");
    await run("set", accountId, "*", "paper=58");
    const { out } = await run("list", accountId);
    expect(out).toContain(`${accountId} (bakery-north) of ${FIRST.appId}: active`);
    expect(out).toContain("fiscal calls are refused: the key is not Base64");
    expect(out).toContain("store-1  register=emulator:one?operatorPassword=***");
    expect(out).toContain("*  paper=58");
    expect(out).not.toContain("7321");
  });

  it("of an unknown account is refused", async () => {
    await expect(run("list", "nobody")).rejects.toThrow(UsageError);
  });
});

describe("settings", () => {
  it.each([[], ["drop"], ["list", "a", "b"], ["set"], ["set", "a"], ["set", "a", "b"], ["set", "a", "b", "c=d", "e"], ["list", "--all"]])(
    "does not take the arguments %j %j %j",
    async (...args) => {
      await expect(run(...args.filter((arg) => arg !== undefined))).rejects.toThrow(UsageError);
      expect(closed).toBe(0);
    },
  );

  it("gives the database back also when it fails", async () => {
    await expect(run("list", "nobody")).rejects.toThrow(UsageError);
    expect(closed).toBe(1);
  });
});
