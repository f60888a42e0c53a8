import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { silentLog } from "../../../../../../src/kernel/log.ts";
import { Connections } from "../../../../../../src/tools/sandbox/api/counters/connections.ts";
import { acceptsGzip, checkAccept, languageOf } from "../../../../../../src/tools/sandbox/api/requests/request-headers.ts";
import { readTarget } from "../../../../../../src/tools/sandbox/api/requests/target.ts";
import { Refusal } from "../../../../../../src/tools/sandbox/call/refusal.ts";
import { VirtualClock } from "../../../../../support/virtual-clock.ts";

function codeOf(work: () => unknown): number | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.errors[0]?.code;
    throw error;
  }
}

describe("headers of a request", () => {
  it.each([
    ["gzip", true],
    ["gzip, deflate, br", true],
    ["br;q=1.0, GZIP;q=0.5", true],
    ["gzip;q=0", false],
    ["deflate", false],
    ["*", false],
    [undefined, false],
  ])("name gzip or not: %s", (header, named) => {
    expect(acceptsGzip(header)).toBe(named);
  });

  it.each([
    "application/json;charset=utf-8",
    "application/json",
    "*/*",
    "text/html, application/json; charset=UTF-8",
    "application/json, text/plain, */*",
    undefined,
  ])("take JSON: %s", (header) => {
    expect(codeOf(() => checkAccept(header, "lenient"))).toBeUndefined();
  });

  it.each(["text/html", "application/xml", "application/json;charset=windows-1251", "application/json;q=0", "application/*"])(
    "take no JSON and are 1062: %s",
    (header) => {
      expect(codeOf(() => checkAccept(header, "lenient"))).toBe(1062);
    },
  );

  // json-api D3: the strict setting, which the profile production has.
  it.each([
    ["application/json;charset=utf-8", true],
    ["APPLICATION/JSON ; charset = UTF-8", true],
    ['application/json; charset="utf-8"', true],
    ["text/html, application/json;charset=utf-8", true],
    ["application/json, */*", true],
    ["*/*", true],
    ["", true],
    [undefined, true],
    ["application/json", false],
    ["application/json;q=0.9, text/plain", false],
    ["application/json;charset=windows-1251", false],
    ["text/html", false],
    ["*/*;q=0", false],
  ])("take JSON in the strict sense or not: %s", (header, taken) => {
    expect(codeOf(() => checkAccept(header, "strict"))).toBe(taken ? undefined : 1062);
  });

  it.each([
    ["en", "en"],
    ["en-US,en;q=0.9", "en"],
    ["ru", "ru"],
    ["de", "ru"],
    [undefined, "ru"],
  ])("choose the language of errors, Russian for any but English: %s", (header, language) => {
    expect(languageOf(header)).toBe(language);
  });
});

describe("the address of a request", () => {
  it.each([
    ["/api/remap/1.2/entity/product", "entity/product"],
    ["/api/remap/1.2/entity/product/", "entity/product"],
    ["//api/remap//1.2/entity//product//?a=1", "entity/product"],
    ["http://other.example/api/remap/1.2/entity/product", "entity/product"],
    ["/api/remap/1.2", ""],
  ])("is read without doubled and last slashes: %s", (url, path) => {
    expect(readTarget(url)).toMatchObject({ kind: "api", version: "1.2", path });
  });

  it.each(["/", "/api/remap", "/api/remap/1.3/entity/product", "/api/remap/2.0/x", "/entity/product"])("is nowhere: %s", (url) => {
    expect(readTarget(url)).toEqual({ kind: "nowhere", status: 404 });
  });

  it.each(["/api/foo/0/foo/bar", "/api/", "/api/remapper/1.2/entity/product"])(
    "of another interface is a service that is not there: %s",
    (url) => {
      expect(readTarget(url)).toEqual({ kind: "nowhere", status: url === "/api/" ? 404 : 503 });
    },
  );

  it.each(["?filter=name=%zz", "?search=%", "/%E0%A4%A"])("with an escape that is none is 1058: %s", (rest) => {
    expect(codeOf(() => readTarget(`/api/remap/1.2/entity/product${rest}`))).toBe(1058);
  });
});

describe("connections", () => {
  const bench = () => {
    const clock = new VirtualClock(0);
    const warned: string[] = [];
    const connections = new Connections(clock, { ...silentLog, warn: (_values, text) => void warned.push(text) });
    return { clock, warned, connections };
  };
  const request = (connections: Connections, socket: Socket) => {
    connections.requested(socket);
    connections.answered(socket);
  };

  it("that carry more than 100 requests are warned of once", () => {
    const { warned, connections } = bench();
    const socket = new Socket();
    connections.opened(socket);
    for (let each = 0; each < 150; each += 1) request(connections, socket);
    expect(warned).toHaveLength(1);
    expect(connections.told()).toMatchObject({ opened: 1, above100Requests: 1 });
  });

  it("that were idle for more than 30 s are warned of at their next request", async () => {
    const { clock, warned, connections } = bench();
    const socket = new Socket();
    connections.opened(socket);
    await clock.advance(60_000);
    request(connections, socket);
    await clock.advance(30_000);
    request(connections, socket);
    expect(warned).toEqual([]);
    await clock.advance(30_001);
    request(connections, socket);
    expect(connections.told()).toMatchObject({ idleOver30s: 1 });
    expect(warned).toHaveLength(1);
  });

  it("that carry one request each are warned of when there are twenty in a row", () => {
    const { warned, connections } = bench();
    for (let each = 0; each < 20; each += 1) {
      expect(warned).toEqual([]);
      const socket = new Socket();
      connections.opened(socket);
      request(connections, socket);
      socket.emit("close");
    }
    expect(warned).toHaveLength(1);
    expect(connections.told()).toMatchObject({ opened: 20, open: 0, withOneRequest: 20 });
  });
});
