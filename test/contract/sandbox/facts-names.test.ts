import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Receiver } from "../../support/receiver.ts";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

// json-api 1: every header has an effect under the canonical names and under the public names, and under no others.

const PROFILES = [
  ["canonical", "platform", "lognex"],
  ["production", "lognex", "platform"],
] as const;
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==";

describe.each(PROFILES)("headers under the profile %s", (profile, own, other) => {
  const clock = new VirtualClock(Date.UTC(2026, 2, 2, 7));
  let sandbox: TestSandbox;
  beforeAll(async () => {
    // If milliseconds were always shown, the test could not see whether a header asks for them (json-api D4).
    sandbox = await testSandbox({ profile, clock, limited: true, settings: { alwaysMilliseconds: false } });
  });
  afterAll(() => sandbox.close());

  const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    await clock.advance(3_000);
    return await sandbox.call(method, path, body, headers);
  };
  /** The answers with the header under its own name, and under the other profile's name. */
  const both = async (method: string, path: string, body: unknown, name: (prefix: string) => string, value: string) =>
    [await call(method, path, body, { [name(own)]: value }), await call(method, path, body, { [name(other)]: value })] as const;

  it("Format-Millisecond asks for datetimes with milliseconds", async () => {
    const [asked, strange] = await both("GET", "entity/product?limit=1", undefined, (prefix) => `x-${prefix}-format-millisecond`, "true");
    expect(asked.at("rows", 0, "updated")).toMatch(/\.\d{3}$/);
    expect(strange.at("rows", 0, "updated")).toMatch(/:\d\d$/);
  });

  it("Pretty-Print-JSON asks for indented output", async () => {
    const [asked, strange] = await both("GET", "entity/product?limit=1", undefined, (prefix) => `${prefix}-pretty-print-json`, "true");
    expect([asked.text.includes("\n  "), strange.text.includes("\n")]).toEqual([true, false]);
  });

  it("Precision turns off the rounding of money", async () => {
    const first = async (type: string) => ({ meta: (await call("GET", `entity/${type}?limit=1`)).at("rows", 0, "meta") });
    const parties = { organization: await first("organization"), agent: await first("counterparty") };
    const body = { ...parties, positions: [{ assortment: await first("product"), quantity: 1, price: 0.25 }] };
    const [asked, strange] = await both("POST", "entity/customerorder", body, (prefix) => `x-${prefix}-precision`, "true");
    expect([asked.at("sum"), strange.at("sum")]).toEqual([0.25, 0]);
  });

  it("WebHook-DisableByPrefix mutes some webhooks, WebHook-Disable all of them", async () => {
    const receiver = await Receiver.open();
    const hook = await call("POST", "entity/webhook", { url: receiver.url, action: "CREATE", entityType: "uom" });
    await both("POST", "entity/uom", { name: "ведро" }, (prefix) => `x-${prefix}-webhook-disablebyprefix`, receiver.url);
    await both("POST", "entity/uom", { name: "бочка" }, (prefix) => `x-${prefix}-webhook-disable`, "true");
    await call("POST", "entity/uom", { name: "мешок" });
    // The receiver hears of three requests: in each pair the request whose header has no effect here, and the last request.
    await receiver.until(3);
    await call("DELETE", String(hook.at("meta", "href")));
    expect(receiver.received).toHaveLength(3);
    await receiver.close();
  });

  it("Download-Expiration-Seconds is the lifetime of a file's link, a minute without it", async () => {
    const made = await call("POST", "entity/product?expand=images", { name: "Чай", images: [{ filename: "a.png", content: PIXEL }] });
    const href = String(made.at("images", "rows", 0, "meta", "downloadHref"));
    const links = await both("GET", href, undefined, (prefix) => `x-${prefix}-download-expiration-seconds`, "600");
    const read = () => Promise.all(links.map(async ({ headers }) => (await fetch(String(headers.get("location")))).status === 200));
    expect(await read()).toEqual([true, true]);
    await clock.advance(60_001);
    expect(await read()).toEqual([true, false]);
    await clock.advance(540_000);
    expect(await read()).toEqual([false, false]);
  });

  it("answers tell the rate, and a failed authentication its extended number and text", async () => {
    const answer = await call("GET", "entity/uom?limit=0");
    const named = ["x-ratelimit-limit", "x-ratelimit-remaining", `x-${own}-retry-timeinterval`, `x-${own}-reset`];
    expect(named.map((name) => answer.headers.get(name))).toEqual(["45", "44", "3000", "0"]);
    const denied = await call("GET", "entity/uom", undefined, { authorization: "Bearer wrong" });
    expect(denied.headers.get(`x-${own}-auth`)).toMatch(/^401\d{3}$/);
    expect(denied.headers.get(`x-${own}-auth-message`)).toEqual(expect.any(String));
    expect([...denied.headers.keys(), ...answer.headers.keys()].filter((name) => name.includes(other))).toEqual([]);
  });
});
