import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { describe, expect, it } from "vitest";
import { nextTurn, pause } from "../../../src/kernel/clock.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { KeySet, type KeySetMemory, type StoredKeySet } from "../../../src/security/key-set.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const ADDRESS = "https://pay-qr.platform.example/.well-known/jwks.json";
const ISSUER = "https://platform.example";
const NOW_MS = Date.parse("2026-03-02T09:00:00Z");
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Made once, because a key takes a tenth of a second. */
const [FIRST, SECOND, WEAK] = [2_048, 2_048, 1_024].map((modulusLength) => generateKeyPairSync("rsa", { modulusLength })) as [
  Pair,
  Pair,
  Pair,
];
type Pair = { privateKey: KeyObject; publicKey: KeyObject };

const jwk = (kid: string, { publicKey }: Pair, more: object = {}) => ({ ...publicKey.export({ format: "jwk" }), kid, ...more });
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

function tokenOf(claims: object = {}, header: object = {}, { privateKey }: Pair = FIRST): string {
  const seconds = NOW_MS / 1_000;
  const text = `${part({ alg: "RS256", kid: "one", ...header })}.${part({ iss: ISSUER, id: "q-1", iat: seconds, exp: seconds + 60, ...claims })}`;
  return `${text}.${createSign("RSA-SHA256").update(text).sign(privateKey).toString("base64url")}`;
}

/** A key address whose answers the test chooses, and the keys that are kept over a restart. */
class Scene {
  readonly clock = new VirtualClock(NOW_MS);
  fetched = 0;
  keys: object[] = [jwk("one", FIRST)];
  cacheControl: string | undefined;
  body: string | undefined;
  down = false;
  /** How long the address takes to answer. */
  answerMs = 0;
  stored: StoredKeySet | undefined;
  readonly warnings: [object, string][] = [];
  readonly memory: KeySetMemory = {
    load: async () => this.stored,
    save: async (_address, stored) => {
      this.stored = stored;
    },
  };

  open(): KeySet {
    const fetch = async () => {
      this.fetched += 1;
      if (this.answerMs > 0) await pause(this.clock, this.answerMs);
      if (this.down) throw new Error("no answer");
      return { status: 200, body: this.body ?? JSON.stringify({ keys: this.keys }), cacheControl: this.cacheControl };
    };
    const log = { ...silentLog, warn: (values: object, text: string) => void this.warnings.push([values, text]) };
    return new KeySet({ clock: this.clock, log, address: ADDRESS, issuer: ISSUER, fetch, memory: this.memory });
  }
}

/** A token whose times follow the scene's clock. */
const fresh = (scene: Scene, header: object = {}, pair: Pair = FIRST) => {
  const seconds = Math.floor(scene.clock.nowMs() / 1_000);
  return tokenOf({ iat: seconds, exp: seconds + 60 }, header, pair);
};

describe("tokens of a key set", () => {
  it("are read by their key, and show the id and until when the id must be remembered", async () => {
    const keys = new Scene().open();
    expect(await keys.read(tokenOf())).toEqual({ kind: "valid", id: "q-1", expiresAtMs: NOW_MS + 60_000 + 60_000 });
    expect(await keys.read(tokenOf({ id: undefined, jti: "j-1" }))).toMatchObject({ kind: "valid", id: "j-1" });
  });

  it.each<[string, () => string, string]>([
    ["without a kid", () => tokenOf({}, { kid: undefined }), "no-kid"],
    ["with alg none", () => tokenOf({}, { alg: "none" }), "malformed"],
    ["with HS256", () => tokenOf({}, { alg: "HS256" }), "malformed"],
    ["of a foreign issuer", () => tokenOf({ iss: "https://other.example" }), "claims"],
    ["without an issuer", () => tokenOf({ iss: undefined }), "claims"],
    ["without an end", () => tokenOf({ exp: undefined }), "claims"],
    ["that have expired", () => tokenOf({ exp: NOW_MS / 1_000 - 61 }), "expired"],
    ["from two minutes ahead", () => tokenOf({ iat: NOW_MS / 1_000 + 120 }), "claims"],
    ["without any id", () => tokenOf({ id: undefined }), "claims"],
    ["with a number as id", () => tokenOf({ id: 7 }), "claims"],
    ["with an id that is too long", () => tokenOf({ id: "x".repeat(201) }), "claims"],
    ["that another key has signed", () => tokenOf({}, {}, SECOND), "signature"],
    ["that are no token", () => "a.b.c", "no-kid"],
    ["that are too long", () => `${tokenOf()}${"A".repeat(9_000)}`, "malformed"],
  ])("are refused %s", async (_what, make, reason) => {
    expect(await new Scene().open().read(make())).toMatchObject({ kind: "refused", reason });
  });

  it("live a minute longer than they say, for clocks that differ", async () => {
    expect(await new Scene().open().read(tokenOf({ exp: NOW_MS / 1_000 - 59 }))).toMatchObject({ kind: "valid" });
  });
});

describe("the keys of an address", () => {
  it("are read at most once for a thousand tokens with unknown keys in ten seconds, and known keys go on", async () => {
    const scene = new Scene();
    const keys = scene.open();
    expect(await keys.read(fresh(scene))).toMatchObject({ kind: "valid" });
    await scene.clock.advance(31_000);
    const before = scene.fetched;
    for (let n = 0; n < 1_000; n += 1) {
      expect(await keys.read(fresh(scene, { kid: `nobody-${n}` }))).toMatchObject({ kind: "refused" });
      if (n % 100 === 0) expect(await keys.read(fresh(scene))).toMatchObject({ kind: "valid" });
      await scene.clock.advance(10);
    }
    expect(scene.fetched - before).toBe(1);
  });

  it("keep nobody waiting for longer than a second while the address is slow, and serve its keys afterwards", async () => {
    const scene = new Scene();
    const keys = scene.open();
    await keys.read(fresh(scene));
    await scene.clock.advance(31_000);
    scene.answerMs = 1_900;
    scene.keys = [jwk("two", SECOND)];
    const startMs = scene.clock.monotonicMs();
    let waitedMs = Number.NaN;
    const reading = keys.read(fresh(scene, { kid: "two" }, SECOND)).then((read) => {
      waitedMs = scene.clock.monotonicMs() - startMs;
      return read;
    });
    for (let step = 0; step < 30; step += 1) {
      await nextTurn();
      await scene.clock.advance(100);
    }
    expect(await reading).toMatchObject({ kind: "refused", reason: "unknown-key" });
    expect(waitedMs).toBeLessThanOrEqual(1_100);
    expect(await keys.read(fresh(scene, { kid: "two" }, SECOND))).toMatchObject({ kind: "valid" });
  });

  it("serve a new key after one more reading", async () => {
    const scene = new Scene();
    const keys = scene.open();
    await keys.read(fresh(scene));
    await scene.clock.advance(31_000);
    scene.keys = [jwk("two", SECOND)];
    expect(await keys.read(fresh(scene, { kid: "two" }, SECOND))).toMatchObject({ kind: "valid" });
    expect(await keys.read(fresh(scene))).toMatchObject({ kind: "refused", reason: "unknown-key" });
    expect(scene.fetched).toBe(2);
  });

  it.each([
    [undefined, 10 * MINUTE_MS],
    ["public, max-age=120", 2 * MINUTE_MS],
    ["max-age=1", 30_000],
    ["max-age=999999999", 24 * HOUR_MS],
  ])("are read again when Cache-Control %s lets them be old", async (cacheControl, ageMs) => {
    const scene = new Scene();
    scene.cacheControl = cacheControl;
    const keys = scene.open();
    await keys.read(fresh(scene));
    await scene.clock.advance(ageMs - 1);
    await keys.read(fresh(scene));
    expect(scene.fetched).toBe(1);
    await scene.clock.advance(1);
    await keys.read(fresh(scene));
    await scene.clock.advance(0);
    expect(scene.fetched).toBe(2);
  });

  it("serve for 24 hours while the address fails, over a restart too, and not longer", async () => {
    const scene = new Scene();
    await scene.open().read(fresh(scene));
    scene.down = true;
    const restarted = scene.open();
    await scene.clock.advance(23 * HOUR_MS);
    expect(await restarted.read(fresh(scene))).toMatchObject({ kind: "valid" });
    await scene.clock.advance(HOUR_MS + 1);
    expect(await restarted.read(fresh(scene))).toMatchObject({ kind: "refused", reason: "no-keys" });
    scene.down = false;
    await scene.clock.advance(MINUTE_MS);
    await restarted.read(fresh(scene));
    await scene.clock.advance(MINUTE_MS);
    expect(await restarted.read(fresh(scene))).toMatchObject({ kind: "valid" });
  });

  it("count as read when only their storing fails, and the log names the storing", async () => {
    const scene = new Scene();
    scene.memory.save = () => Promise.reject(new Error("disk full"));
    const keys = scene.open();
    expect(await keys.refresh()).toEqual({});
    expect(scene.warnings).toEqual([
      [{ error: "disk full" }, "the keys of QR tokens were read but could not be stored for the next start"],
    ]);
    expect(await keys.read(fresh(scene))).toMatchObject({ kind: "valid" });
    scene.down = true;
    expect(await keys.refresh()).toEqual({ problem: "the key address did not answer with keys" });
  });

  it.each([
    ["no JSON", "<html>"],
    ["half a JSON", '{"keys":['],
    ["no key set", '{"a":1}'],
    ["no usable key", '{"keys":[]}'],
    ["a weak key", JSON.stringify({ keys: [jwk("weak", WEAK)] })],
    ["a key of another use", JSON.stringify({ keys: [jwk("one", FIRST, { use: "enc" })] })],
    ["a key of another kind", JSON.stringify({ keys: [{ kty: "oct", kid: "one", k: "AAAA" }] })],
    ["too much", JSON.stringify({ keys: [jwk("one", FIRST)], more: "x".repeat(70_000) })],
  ])("stay as they are when the address answers %s", async (_what, body) => {
    const scene = new Scene();
    const keys = scene.open();
    await keys.read(fresh(scene));
    scene.body = body;
    await scene.clock.advance(11 * MINUTE_MS);
    expect(await keys.read(fresh(scene))).toMatchObject({ kind: "valid" });
    await scene.clock.advance(0);
    expect(scene.fetched).toBe(2);
    expect(await keys.read(fresh(scene))).toMatchObject({ kind: "valid" });
  });
});
