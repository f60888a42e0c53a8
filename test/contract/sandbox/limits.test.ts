import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { nextTurn } from "../../../src/kernel/clock.ts";
import { ADMINISTRATOR, EMPLOYEE, type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const ofSeller = { authorization: `Basic ${Buffer.from(`${EMPLOYEE.login}:${EMPLOYEE.password}`).toString("base64")}` };
const ofOwner = { authorization: `Basic ${Buffer.from(`${ADMINISTRATOR.login}:${ADMINISTRATOR.password}`).toString("base64")}` };

const NAMES = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-platform-retry-timeinterval", "x-platform-reset", "x-platform-retry-after"];
const rateOf = ({ headers }: SandboxAnswer) => NAMES.map((name) => headers.get(name));

describe("limits of the sandbox", () => {
  const clock = new VirtualClock(Date.UTC(2026, 2, 5, 9));
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await testSandbox({ clock, limited: true });
  });
  afterAll(() => sandbox.close());

  const ask = (path = "entity/uom?limit=0", headers = {}) => sandbox.call("GET", path, undefined, headers);

  it("every answer tells the rate; the 46th unit of 3 s is 429 with 1049, when to come again, and 429002", async () => {
    await clock.advance(10_000);
    expect(rateOf(await ask())).toEqual(["45", "44", "3000", "0", null]);
    await clock.advance(1_000);
    for (let request = 2; request <= 45; request += 1) await ask();
    const refused = await ask();
    expect([refused.status, refused.at("errors", 0, "code")]).toEqual([429, 1049]);
    expect(rateOf(refused)).toEqual(["45", "0", "3000", "2000", "2000"]);
    expect(refused.headers.get("x-platform-auth")).toBe("429002");
    expect((await ask(undefined, ofSeller)).status).toBe(200);
    expect((await ask(undefined, ofOwner)).status, "Basic and Bearer of one user share a window").toBe(429);
    await clock.advance(2_000);
    expect(rateOf(await ask())).toEqual(["45", "44", "3000", "0", null]);
  });

  it("an error and an empty answer tell the rate too", async () => {
    await clock.advance(10_000);
    expect(rateOf(await ask("nothing"))).toEqual(["45", "44", "3000", "0", null]);
    expect(rateOf(await ask(undefined, { authorization: "Bearer wrong" }))).toEqual(["45", "45", "3000", "0", null]);
    expect((await ask(undefined, { "accept-encoding": "identity" })).headers.get("x-ratelimit-limit")).toBe("45");
  });

  it("the stock report costs five units", async () => {
    await clock.advance(10_000);
    expect((await ask("report/stock/all")).headers.get("x-ratelimit-remaining")).toBe("40");
  });

  it("a caller's units follow the setting", async () => {
    const heavy = await testSandbox({ clock: new VirtualClock(0), limited: true, settings: { userWeight: 4 } });
    onTestFinished(() => heavy.close());
    for (let request = 1; request <= 11; request += 1) expect((await heavy.call("GET", "entity/uom?limit=0")).status).toBe(200);
    const refused = await heavy.call("GET", "entity/uom?limit=0");
    expect([refused.status, refused.headers.get("x-ratelimit-remaining")]).toEqual([429, "1"]);
  });

  it("without limits nothing is refused, and the headers stay", async () => {
    const open = await testSandbox({ clock: new VirtualClock(0), limited: false });
    onTestFinished(() => open.close());
    const answers = await Promise.all(Array.from({ length: 60 }, () => open.call("GET", "entity/uom?limit=0")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers.at(-1)?.headers.get("x-ratelimit-remaining")).toBe("0");
  });

  it("a sixth request of one caller at the same time is 429 with 1073 and 429005, without Retry-After", async () => {
    const slowClock = new VirtualClock(0);
    const slow = await testSandbox({ clock: slowClock, limited: true, faults: [{ name: "slow-answer", share: 1 }] });
    onTestFinished(() => slow.close());
    const answers: SandboxAnswer[] = [];
    const running = Array.from({ length: 6 }, async () => {
      answers.push(await slow.call("GET", "entity/uom?limit=0"));
    });
    while (answers.length === 0) await nextTurn();
    const [refused] = answers;
    expect([refused?.status, refused?.at("errors", 0, "code")]).toEqual([429, 1073]);
    expect(refused?.headers.get("x-platform-auth")).toBe("429005");
    expect(refused?.headers.get("x-platform-retry-after")).toBeNull();
    while (answers.length < 6) await slowClock.advance(1_000);
    await Promise.all(running);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  });

  it("tells in its own interface what it has seen of connections, answers and abuse", async () => {
    const watched = await testSandbox();
    onTestFinished(() => watched.close());
    await watched.call("POST", "entity/product", { name: "Чай" });
    await watched.call("POST", "entity/product", {});
    await watched.call("POST", "entity/product", {});
    const counters = await watched.call("GET", `${watched.base}/sandbox/counters`, undefined, { authorization: "" });
    expect(counters.status).toBe(200);
    expect(counters.body).toMatchObject({
      connections: { opened: expect.any(Number), open: expect.any(Number), withOneRequest: 0, above100Requests: 0, idleOver30s: 0 },
      answersByStatus: { 200: 1, 412: 2 },
      errorsByCode: { 3000: 2 },
      abuse: { highestPerMinute: { identicalFailures: 2, tooManyRequests: 0, putsOfOneObject: 0 }, aboveLimitInLastHour: [] },
      faults: { "lost-answer": 0 },
    });
    expect((await watched.call("GET", `${watched.base}/sandbox/other`)).status).toBe(404);
    expect((await watched.call("POST", `${watched.base}/sandbox/counters`)).status).toBe(405);
  });
});
