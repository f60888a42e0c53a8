import { createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { Rack } from "../../src/registers/rack.ts";
import { sample } from "../support/extent.ts";
import { longestTurnWithin, TRIES } from "../support/hostile/longest-turn.ts";
import { oddPlatform } from "../support/odd-platform.ts";
import { temporaryFolder, ZONE } from "../support/registers.ts";

const BOUND_MS = 50;
const MIB = 1024 * 1024;
const ASK_LIMIT_MS = 3_000;

/** The bytes that a device sends once it is connected. */
const STREAMS: Record<string, Uint8Array> = {
  acknowledgements: Buffer.alloc(4 * MIB, 0x06),
  refusals: Buffer.alloc(4 * MIB, 0x15),
  zeros: Buffer.alloc(4 * MIB),
  "beginnings of frames": Buffer.alloc(4 * MIB, 0x8f),
  "frames without data": Buffer.alloc(4 * MIB, "0200", "hex"),
  "frames of another command": Buffer.alloc(4 * MIB, "02021E001C", "hex"),
  noise: systemChance.bytes(4 * MIB),
};
const DEVICES = ["1.0", "2.0"].flatMap((protocol) => Object.keys(STREAMS).map((what) => [protocol, what] as const));

describe("the event loop goes on", () => {
  it.each(sample(DEVICES, 3))("while a device of protocol %s at a TCP port sends nothing but %s", async (protocol, what) => {
    const device = createServer((socket) => socket.on("error", () => {}).write(STREAMS[what] ?? ""));
    await new Promise<void>((resolve) => device.listen(0, "127.0.0.1", resolve));
    const rack = new Rack({ clock: systemClock, chance: systemChance, dataDir: await temporaryFolder(), note: () => {} });
    onTestFinished(async () => {
      await rack.close();
      device.close();
    });
    const place = device.address();
    const port = typeof place === "object" ? place?.port : 0;
    const register = rack.at(`shtrih-m+tcp://127.0.0.1:${port}?protocol=${protocol}`, ZONE);
    const { cpuMs, allowedMs } = await longestTurnWithin(BOUND_MS, TRIES, () => register.inspect(deadlineIn(systemClock, ASK_LIMIT_MS)));
    expect(cpuMs).toBeLessThan(allowedMs);
  });

  const ANSWERS: Record<string, (bytes: number) => string> = {
    "nested lists": (bytes) => "[".repeat(bytes / 2) + "]".repeat(bytes / 2),
    "empty objects": (bytes) => `{"rows":[${"{},".repeat((bytes - 20) / 3)}{}]}`,
    "objects whose names are all different": (bytes) =>
      `{"rows":[${Array.from({ length: Math.floor(bytes / 30) - 1 }, (_, at) => `{"name-${1_000_000 + at}":"a text"}`).join(",")}]}`,
    numbers: (bytes) => `{"rows":[${"1,".repeat((bytes - 20) / 2)}1]}`,
  };

  /** Answers to the questions for a sale have 2 MiB at most. */
  it.each(sample(Object.entries(ANSWERS), 2))("while the platform answers a sale's look-up with 2 MiB of %s", async (_what, text) => {
    const packed = gzipSync(text(2 * MIB - 2));
    const { api, close } = await oddPlatform((_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(packed));
    onTestFinished(close);
    const ask = () => api.call({ method: "GET", path: "entity/product", maxBytes: 2 * MIB }).catch(() => undefined);
    const { cpuMs, allowedMs } = await longestTurnWithin(BOUND_MS, TRIES, ask);
    expect(cpuMs).toBeLessThan(allowedMs);
  });

  /** The bytes of texts in the longest answer that is parsed (16 MiB). */
  const ERROR_BYTES = 16 * MIB - 200;
  const LONG_TEXTS = { "Latin letters": "a", "Russian letters": "щ", words: "слово ", digits: "7", quotes: '"' };
  const REFUSALS: Record<string, () => object[]> = {
    ...Object.fromEntries(
      Object.entries(LONG_TEXTS).flatMap(([what, unit]) =>
        [3 * MIB, ERROR_BYTES].map((bytes) => [
          `one error of ${bytes} bytes of ${what}`,
          () => [{ error: unit.repeat((bytes - 100) / Buffer.byteLength(JSON.stringify(unit).slice(1, -1))) }],
        ]),
      ),
    ),
    "errors with everything of Russian letters": () => {
      const text = "щ".repeat(500_000);
      return Array(4).fill({ error: text, code: text, parameter: text, moreInfo: text });
    },
    "many errors of Russian letters": () => Array(4_000).fill({ error: "щ".repeat(2_000) }),
    "a hundred errors of Russian letters": () => Array(100).fill({ error: "щ".repeat(25_000), parameter: "щ".repeat(25_000) }),
    "errors with many dependencies of Russian letters": () =>
      Array(100).fill({ error: "a", dependencies: Array(100).fill({ href: "щ".repeat(700) }) }),
  };

  it.each(sample(Object.entries(REFUSALS), 3))(
    "while the platform refuses a call with %s, and the refusal is understood",
    async (_what, errors) => {
      const packed = gzipSync(JSON.stringify({ errors: errors() }));
      const headers = { "content-type": "application/json", "content-encoding": "gzip" };
      const { api, close } = await oddPlatform((_, response) => void response.writeHead(400, headers).end(packed));
      onTestFinished(close);
      const ask = () => api.call({ method: "GET", path: "entity/product" }).catch((error: unknown) => error);
      const { cpuMs, allowedMs, result } = await longestTurnWithin(BOUND_MS, TRIES, ask);
      expect(result).toMatchObject({ code: "platform-refused", status: 400 });
      expect(cpuMs).toBeLessThan(allowedMs);
    },
  );
});
