import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

// json-api 6.6, fact by fact, on a clock that stands still, so that no task ends before the test looks at it.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Longer than a task waits for its turn. */
const TURN_MS = 1_000;

describe("asynchronous reading", () => {
  let clock: VirtualClock;
  let sandbox: TestSandbox;
  beforeEach(async () => {
    clock = new VirtualClock(Date.UTC(2026, 2, 2, 7));
    sandbox = await testSandbox({ clock });
  });
  afterEach(() => sandbox.close());

  const call = (method: string, path: string) => sandbox.call(method, path);
  const faultOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
  const begin = async (path: string) => {
    const begun = await call("GET", path);
    expect([begun.status, begun.text]).toEqual([202, ""]);
    return { status: String(begun.headers.get("content-location")), result: String(begun.headers.get("location")) };
  };
  const stateOf = async (status: string) => (await call("GET", status)).at("state");

  it.each(["report/stock/all", "report/stock/bystore", "entity/counterparty", "entity/assortment"])(
    "of %s is 202 with the result in Location and the status in Content-Location, and answers what the reading itself does",
    async (path) => {
      const { status, result } = await begin(`${path}?async=true`);
      expect(status).toMatch(new RegExp(`^${sandbox.api}/async/[0-9a-f-]{36}$`));
      expect(result).toBe(`${status}/result`);
      expect(await stateOf(status)).toBe("PENDING");
      expect(faultOf(await call("GET", result))).toEqual([412, 61006]);
      await clock.advance(TURN_MS);
      expect((await call("GET", status)).body).toEqual({
        meta: { href: status, type: "async", mediaType: "application/json" },
        id: status.split("/").at(-1),
        accountId: expect.any(String),
        owner: { meta: expect.objectContaining({ type: "employee" }) },
        request: `${sandbox.api}/${path}?async=true`,
        state: "DONE",
        resultUrl: result,
        deletionDate: expect.stringMatching(/^2026-03-02 11:00:0\d$/),
      });
      const link = await call("GET", result);
      expect(link.status).toBe(302);
      const { rows } = (await (await fetch(String(link.headers.get("location")))).json()) as { rows: unknown[] };
      expect(rows).toEqual((await call("GET", path)).at("rows"));
    },
  );

  it("keeps a result for an hour (61003), the link to its file for five minutes", async () => {
    const { result } = await begin("entity/counterparty?async=true");
    await clock.advance(TURN_MS);
    const link = String((await call("GET", result)).headers.get("location"));
    await clock.advance(5 * MINUTE_MS - TURN_MS);
    expect((await fetch(link)).status).toBe(200);
    await clock.advance(2 * TURN_MS);
    expect((await fetch(link)).status).not.toBe(200);
    expect((await call("GET", result)).status).toBe(302);
    await clock.advance(HOUR_MS);
    expect(faultOf(await call("GET", result))).toEqual([412, 61003]);
  });

  it("lists the tasks of the last week", async () => {
    await begin("entity/counterparty?async=true");
    await clock.advance(7 * DAY_MS - TURN_MS);
    expect((await call("GET", "async")).at("meta", "size")).toBe(1);
    await clock.advance(2 * TURN_MS);
    expect((await call("GET", "async")).at("meta", "size")).toBe(0);
  });

  it("that was refused is API_ERROR with the errors, and the result repeats the error of the reading itself", async () => {
    const { status, result } = await begin("entity/counterparty?async=true&filter=nothing%3D1");
    await clock.advance(TURN_MS);
    const task = await call("GET", status);
    expect([task.at("state"), task.at("errors", 0, "code"), task.at("resultUrl")]).toEqual(["API_ERROR", 1034, undefined]);
    expect(faultOf(await call("GET", result))).toEqual([412, 1034]);
  });

  it("is cancelled with 204 while it waits; its result is 61005 then, and what has ended is not cancelled (61007)", async () => {
    const { status, result } = await begin("entity/assortment?async=true");
    const cancelled = await call("PUT", `${status}/cancel`);
    expect([cancelled.status, cancelled.text]).toEqual([204, ""]);
    await clock.advance(TURN_MS);
    expect(await stateOf(status)).toBe("CANCEL");
    expect(faultOf(await call("GET", result))).toEqual([412, 61005]);
    expect(faultOf(await call("PUT", `${status}/cancel`))).toEqual([412, 61007]);
    const done = await begin("entity/assortment?async=true");
    await clock.advance(TURN_MS);
    expect(faultOf(await call("PUT", `${done.status}/cancel`))).toEqual([412, 61007]);
  });

  it("queues four tasks and no fifth (61002), until one of them has ended", async () => {
    for (let queued = 0; queued < 4; queued += 1) await begin("report/stock/all?async=true");
    expect(faultOf(await call("GET", "entity/counterparty?async=true"))).toEqual([412, 61002]);
    await clock.advance(TURN_MS);
    await begin("entity/counterparty?async=true");
  });

  it("filters its tasks by state, request and deletionDate; a task of nobody is 61008", async () => {
    const sizeOf = async (filter: string) => (await call("GET", `async?filter=${encodeURIComponent(filter)}`)).at("meta", "size");
    await begin("entity/counterparty?async=true");
    await clock.advance(TURN_MS);
    await begin("entity/assortment?async=true");
    expect([await sizeOf("state=DONE"), await sizeOf("state=PENDING"), await sizeOf("state=CANCEL")]).toEqual([1, 1, 0]);
    expect(await sizeOf(`request=${sandbox.api}/entity/assortment?async=true`)).toBe(1);
    const [done] = (await call("GET", "async?filter=state%3DDONE")).at("rows") as { deletionDate: string }[];
    const sizes = await Promise.all(
      ["=", ">=", "<=", ">", "<", "!="].map((operator) => sizeOf(`deletionDate${operator}${done?.deletionDate}`)),
    );
    expect(sizes).toEqual([1, 1, 1, 0, 0, 0]);
    expect([await sizeOf("deletionDate>2026-03-02 10:30:00"), await sizeOf("deletionDate>2026-03-02 12:00:00")]).toEqual([1, 0]);
    expect(faultOf(await call("GET", "async?filter=name%3Dx"))).toEqual([412, 1034]);
    expect((await call("GET", "async/00000000-0000-4000-8000-000000000000")).at("errors", 0, "code")).toBe(61008);
  });

  it("takes no pages (61001) and no other address (61000)", async () => {
    for (const page of ["limit=1", "offset=1"]) {
      expect(faultOf(await call("GET", `entity/counterparty?async=true&${page}`))).toEqual([412, 61001]);
    }
    for (const path of ["entity/employee", "entity/product", "report/stock/all/current", "context/employee"]) {
      expect([path, ...faultOf(await call("GET", `${path}?async=true`))]).toEqual([path, 412, 61000]);
    }
  });
});
