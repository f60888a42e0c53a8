import { describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../../../src/kernel/platform-profile.ts";
import type { PlatformCall } from "../../../../src/platform/api/answer.ts";
import { PlatformApi } from "../../../../src/platform/api/api.ts";
import type { Exchange } from "../../../../src/platform/api/exchange.ts";
import { PlatformFailure } from "../../../../src/platform/api/failure.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const API = "https://api.example/api/remap/1.2";
const FILE = { method: "GET", path: "download/1", form: "bytes" } as const;
const STATUSES = [301, 302, 303, 307, 308];

/** One call of a platform that redirects from address to address. The last one answers. */
async function led(call: Partial<PlatformCall>, locations: readonly string[], { status = 302, url = API } = {}) {
  const exchanges: Exchange[] = [];
  const clock = new VirtualClock(0);
  const api = new PlatformApi({
    url,
    authorization: () => "Bearer secret-token",
    headers: PLATFORM_PROFILES.canonical.headers,
    clock,
    log: silentLog,
    wire: {
      exchange: async (exchange) => {
        exchanges.push(exchange);
        const location = locations[exchanges.length - 1];
        if (location === undefined) return { status: 200, headers: {}, body: Buffer.from('{"a":1}') };
        return { status, headers: { location }, body: Buffer.from("<html>") };
      },
      close: async () => {},
      abandon: async () => {},
    },
  });
  const outcome = api.call({ method: "GET", path: "entity/product", ...call }).then(
    ({ body, bytes }) => body ?? bytes?.toString(),
    (error: unknown) => {
      if (error instanceof PlatformFailure) return error;
      throw error;
    },
  );
  await clock.advance(60_000);
  return { outcome: await outcome, exchanges, urls: exchanges.map((exchange) => exchange.url) };
}

const tokens = (exchanges: readonly Exchange[]) => exchanges.map(({ headers }) => "authorization" in headers);
const refused = (origin: string) => ({ code: "platform-unavailable", message: expect.stringContaining(`leads to ${origin}, `) });

describe("a read that is led", () => {
  it.each(STATUSES)("by %i to another address of the platform goes there with its token", async (status) => {
    const { outcome, exchanges } = await led({}, [`${API}/entity/variant/1`], { status });
    expect(outcome).toEqual({ a: 1 });
    expect(tokens(exchanges)).toEqual([true, true]);
  });

  it.each([
    ["another host", "https://files.example/f", "https://files.example"],
    ["a host below the platform's", "https://cdn.api.example/f", "https://cdn.api.example"],
    ["another port", "https://api.example:8443/api/remap/1.2/entity/product", "https://api.example:8443"],
    ["another scheme", "http://api.example/api/remap/1.2/entity/product", "http://api.example"],
    ["another host without a scheme", "//files.example/f", "https://files.example"],
    ["this machine", "http://127.0.0.1:5432/", "http://127.0.0.1:5432"],
    ["a login in an address", "https://name:word@api.example/api/remap/1.2/entity/product", "https://api.example"],
    ["no HTTP at all", "file:///etc/passwd", "null"],
  ])("to %s does not go there", async (_where, location, origin) => {
    for (const status of STATUSES) {
      const { outcome, urls } = await led({}, [location], { status });
      expect(outcome).toMatchObject({ ...refused(origin), status });
      expect(urls).toEqual([`${API}/entity/product`]);
    }
  });

  it("to an address that is none stays where it is", async () => {
    const { outcome, urls } = await led({}, ["https://[no"]);
    expect(outcome).toMatchObject({ status: 302 });
    expect(urls).toHaveLength(1);
  });

  it("round and round ends", async () => {
    const { outcome, urls } = await led(
      {},
      Array.from({ length: 9 }, () => API),
    );
    expect(outcome).toMatchObject({ code: "platform-unavailable", status: 302 });
    expect(urls).toHaveLength(4);
  });

  it("by an address in an answer stays at the platform's host as well", async () => {
    const { outcome, urls } = await led({ path: "https://other.example/api/remap/1.1/x" }, []);
    expect(outcome).toMatchObject(refused("https://other.example"));
    expect(urls).toEqual([]);
  });

  it("never tells more of a link than its host: the rest may open a file", async () => {
    const { outcome } = await led({}, ["https://files.example/f?signature=secret-of-the-link"]);
    expect(String(outcome)).not.toContain("secret-of-the-link");
  });
});

describe("a file that lies at another host", () => {
  const call = { ...FILE, muted: ["https://hooks.example"], headers: { "X-Own": "1" } };

  it.each([
    ["asked for as bytes", call, '{"a":1}'],
    ["the result of an asynchronous reading", { path: "async/1/result", redirects: { kind: "file" } }, { a: 1 }],
  ] as const)("is fetched without anything of ours (%s)", async (_what, given, result) => {
    const { outcome, exchanges } = await led(given, ["https://files.example/f?signature=x"]);
    expect(outcome).toEqual(result);
    expect(exchanges[1]).toMatchObject({ url: "https://files.example/f?signature=x", headers: { "accept-encoding": "gzip" } });
    expect(Object.keys(exchanges[1]?.headers ?? {})).toEqual(["accept-encoding"]);
  });

  it("is fetched without the token also where it leads back to the platform", async () => {
    const { exchanges } = await led(FILE, ["https://files.example/f", `${API}/entity/product`]);
    expect(tokens(exchanges)).toEqual([true, false, false]);
  });

  it("may be named by its own address", async () => {
    const { exchanges } = await led({ ...FILE, path: "https://files.example/miniature/1" }, []);
    expect([exchanges[0]?.url, tokens(exchanges)]).toEqual(["https://files.example/miniature/1", [false]]);
  });

  it.each([
    ["in the clear", "http://files.example/f", "http://files.example"],
    ["in the clear at the platform's own host", "http://api.example/f", "http://api.example"],
    ["with a login in its address", "https://name:word@files.example/f", "https://files.example"],
    ["in this machine", "file:///etc/passwd", "null"],
  ])("is not fetched %s", async (_how, location, origin) => {
    const { outcome, urls } = await led(FILE, [location]);
    expect(outcome).toMatchObject(refused(origin));
    expect(urls).toHaveLength(1);
  });

  it("is not fetched in the clear after the first leap either", async () => {
    const { urls } = await led(FILE, ["https://files.example/f", "http://files.example/f"]);
    expect(urls).toHaveLength(2);
  });

  it("may come in the clear where the platform itself does: from a sandbox", async () => {
    const { exchanges } = await led(FILE, ["http://127.0.0.1:9000/f"], { url: "http://127.0.0.1:8900/api/remap/1.2" });
    expect(tokens(exchanges)).toEqual([true, false]);
  });

  it("is looked for at three addresses besides the first", async () => {
    const { urls } = await led(
      FILE,
      Array.from({ length: 9 }, (_, index) => `https://files.example/${index}`),
    );
    expect(urls).toHaveLength(4);
  });

  it("takes no more than its bound at each of them", async () => {
    const { exchanges } = await led({ ...FILE, maxBytes: 1_000 }, ["https://files.example/f"]);
    expect(exchanges.map(({ maxBytes }) => maxBytes)).toEqual([1_000, 1_000]);
  });
});

describe("a write that is led", () => {
  it.each([307, 308])("by %i to another host is not sent there", async (status) => {
    const { outcome, urls } = await led({ method: "POST", body: { name: "tea" } }, ["https://other.example/x"], { status });
    expect(outcome).toMatchObject(refused("https://other.example"));
    expect(urls).toHaveLength(1);
  });

  it("is no reading of a file, whatever form its answer has", async () => {
    const { urls } = await led({ method: "POST", body: {}, form: "bytes", redirects: { kind: "file" } }, ["https://files.example/x"], {
      status: 307,
    });
    expect(urls).toHaveLength(1);
  });
});
