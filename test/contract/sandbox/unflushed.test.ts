import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nextTurn, systemChance, systemClock } from "../../../src/kernel/clock.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { Account } from "../../../src/tools/sandbox/account/account.ts";
import { startToken } from "../../../src/tools/sandbox/account/tokens.ts";
import { FailedLogins } from "../../../src/tools/sandbox/api/admission/failed-logins.ts";
import { ParallelLimit } from "../../../src/tools/sandbox/api/admission/parallel-limit.ts";
import { RateLimit } from "../../../src/tools/sandbox/api/admission/rate-limit.ts";
import { answerApi } from "../../../src/tools/sandbox/api/answer-api.ts";
import { Counters } from "../../../src/tools/sandbox/api/counters/counters.ts";
import { Faults } from "../../../src/tools/sandbox/api/faults.ts";
import { headerNames } from "../../../src/tools/sandbox/api/requests/header-names.ts";
import { routes } from "../../../src/tools/sandbox/api/routes/routes.ts";
import { AsyncTasks } from "../../../src/tools/sandbox/async/tasks.ts";
import { Downloads } from "../../../src/tools/sandbox/files/downloads.ts";
import { defaultSettings } from "../../../src/tools/sandbox/settings.ts";
import { addShop } from "../../../src/tools/sandbox/shop/shop.ts";
import { QrKeys } from "../../../src/tools/sandbox/solution/qr-keys.ts";
import { CATALOGUE } from "../../../src/tools/sandbox/types/catalogue.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { ADMINISTRATOR } from "../../support/sandbox.ts";

const HEADERS = { authorization: "Bearer test-token", "accept-encoding": "gzip", "content-type": "application/json" };

/** A log whose flushes end when the test says so. */
class SlowLog {
  held: PromiseWithResolvers<void> | undefined;

  append(): Promise<void> {
    return this.held?.promise ?? Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

describe("what is not on the disk yet", () => {
  let log: SlowLog;
  let account: Account;
  let api: string;
  let asked: number;
  let close: () => void;

  beforeEach(async () => {
    log = new SlowLog();
    account = new Account({ clock: systemClock, seed: 1, log });
    await addShop(account, { administrator: ADMINISTRATOR, employees: [] });
    await startToken(account, "test-token", systemChance);
    const faults = new Faults([], 1);
    const downloads = new Downloads(systemClock);
    let base = "";
    const parts = {
      account,
      solution: undefined,
      qr: { account, keys: new QrKeys(account, { issuer: "", lifeS: 60, clock: systemClock, chance: systemChance }), tills: undefined },
      loyalty: { account, till: undefined },
      catalogue: CATALOGUE,
      downloads,
      routes: routes({ tasks: new AsyncTasks(account, silentLog), downloads }),
      settings: defaultSettings("canonical"),
      base: () => base,
      localBase: () => base,
      log: silentLog,
      names: headerNames("canonical"),
      failedLogins: new FailedLogins(systemClock),
      rates: new RateLimit(systemClock),
      parallel: new ParallelLimit(),
      limited: false,
      faults,
      counters: new Counters({ clock: systemClock, log: silentLog, faults }),
    };
    asked = 0;
    const server = createServer((request, response) => {
      asked += 1;
      void answerApi(parts, request, response);
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    api = `${base}/api/remap/1.2`;
    close = () => {
      server.closeAllConnections();
      server.close();
    };
  });
  afterEach(() => close());

  const ask = (method: string, path: string, body?: object) =>
    rawRequest(method, `${api}/${path}`, HEADERS, body === undefined ? undefined : JSON.stringify(body));

  async function reference(type: string): Promise<object> {
    const answer = await ask("GET", `entity/${type}?limit=1`);
    return { meta: (answer.body as { rows: { meta: object }[] }).rows[0]?.meta };
  }

  /**
   * Begins a write that is in memory and waits for the disk, a list request, and a second write with the same number. None of them is
   * answered yet.
   */
  async function meanwhile() {
    const order = { organization: await reference("organization"), agent: await reference("counterparty"), name: "К-1" };
    const disk = Promise.withResolvers<void>();
    log.held = disk;
    let answers = 0;
    const noted = async (asking: ReturnType<typeof ask>) => {
      const answer = await asking;
      answers += 1;
      return answer;
    };
    const write = noted(ask("POST", "entity/customerorder", order));
    while (account.objects.all("customerorder").size === 0) await nextTurn();
    const before = asked;
    const list = noted(ask("GET", "entity/customerorder"));
    const twin = noted(ask("POST", "entity/customerorder", order));
    while (asked < before + 2) await nextTurn();
    // These are far more turns of the event loop than an answer takes.
    for (let turn = 0; turn < 500; turn += 1) await nextTurn();
    expect(answers).toBe(0);
    return { disk, write, list, twin };
  }

  it("is shown to readers, and held against writers, as soon as it is there", async () => {
    const { disk, write, list, twin } = await meanwhile();
    disk.resolve();
    expect((await write).status).toBe(200);
    expect((await list).body).toMatchObject({ meta: { size: 1 } });
    expect((await twin).body).toMatchObject({ errors: [{ code: 3006 }] });
  });

  it("is neither shown nor held against anybody when it never gets there: all of them are 1095", async () => {
    const { disk, write, list, twin } = await meanwhile();
    disk.reject(new Error("the disk is gone"));
    for (const { status, body } of await Promise.all([write, list, twin])) {
      expect([status, body]).toMatchObject([503, { errors: [{ code: 1095 }] }]);
    }
  });
});
