import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sample } from "../../support/extent.ts";
import { goldenEnumerations } from "../../support/golden-fields.ts";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { leastBody, shopReference } from "../../support/sandbox-bodies.ts";

// json-api 13.1: faults of goods.

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await testSandbox();
});
afterAll(() => sandbox.close());

const TRACKING = goldenEnumerations().get("product.trackingType") ?? [];
const MARKED = TRACKING.filter((type) => type !== "NOT_TRACKED");

const weighed = { weighed: true };
const serial = { isSerialTrackable: true };
const onTap = { onTap: true };
const ppe = { ppeType: "2400001807703" };
const alcohol = { alcoholic: { excise: true, type: 210, strength: 40, volume: 0.5 } };
const marked = (trackingType: string) => ({ trackingType });

/** Refused cards, each with the code of its refusal. */
const REFUSED: readonly [number, object][] = [
  ...["type", "strength", "volume"].flatMap((name): [number, object][] => [
    [16000, { alcoholic: { [name]: -1 } }],
    [16000, { alcoholic: { [name]: 0 } }],
  ]),
  [16001, { ...weighed, ...serial }],
  [16010, { vatEnabled: true }],
  [16011, { ...onTap, ...serial }],
  [16012, { ...onTap, ...weighed }],
  [16013, { ...weighed, ...ppe }],
  [16014, { ...onTap, ...ppe }],
  ...MARKED.filter((type) => type !== "MILK" && type !== "PERFUMERY").map((type): [number, object] => [
    16015,
    { ...onTap, ...marked(type) },
  ]),
  ...MARKED.map((type): [number, object] => [16103, { ...marked(type), ...serial }]),
  ...MARKED.filter((type) => type !== "MILK").map((type): [number, object] => [16105, { ...weighed, ...marked(type) }]),
  [16106, marked("NONSENSE")],
  [16106, marked("shoes")],
  [16106, marked("")],
  ...MARKED.map((type): [number, object] => [16113, { ...marked(type), ...ppe }]),
  [3028, { ...alcohol, ...weighed }],
  [3028, { ...alcohol, ...serial }],
  [3028, { ...alcohol, ...ppe }],
  ...MARKED.filter((type) => type !== "BEER_ALCOHOL").map((type): [number, object] => [3028, { ...alcohol, ...marked(type) }]),
  [3028, { ...serial, ...ppe }],
];

const TAKEN: readonly object[] = [
  weighed,
  serial,
  onTap,
  ppe,
  alcohol,
  { alcoholic: { excise: false } },
  ...TRACKING.map(marked),
  { ...weighed, ...marked("MILK") },
  { ...onTap, ...marked("MILK") },
  { ...onTap, ...marked("PERFUMERY") },
  { ...weighed, ...marked("NOT_TRACKED") },
  { ...onTap, ...marked("NOT_TRACKED") },
  { ...serial, ...marked("NOT_TRACKED") },
  { ...alcohol, ...marked("BEER_ALCOHOL") },
];

const outcome = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
const make = (card: object) => sandbox.call("POST", "entity/product", { name: "Товар", ...card });

describe("a card of goods", () => {
  it.each(sample(REFUSED, 40))("is refused with %s for %j, on creation and on change", async (code, card) => {
    expect(outcome(await make(card))).toEqual([412, code]);
    const plain = await make({});
    expect(outcome(await sandbox.call("PUT", String(plain.at("meta", "href")), card))).toEqual([412, code]);
  });

  it.each(sample(TAKEN, 20))("is taken for %j", async (card) => {
    const made = await make(card);
    expect(made.status, made.text).toBe(200);
    expect(made.body).toMatchObject(card);
    expect((await sandbox.call("PUT", String(made.at("meta", "href")), { code: "1" })).status).toBe(200);
  });

  it("whose parts conflict is refused when the second part comes with a change", async () => {
    const conflicting = REFUSED.filter(([, card]) => Object.keys(card).length === 2);
    expect(conflicting.length).toBeGreaterThan(100);
    const wrong: string[] = [];
    // Only the first two cards of each code are tried.
    const tried = new Map<number, number>();
    for (const [code, card] of conflicting) {
      const times = tried.get(code) ?? 0;
      tried.set(code, times + 1);
      if (times > 1) continue;
      const [[first, value], [second, other]] = Object.entries(card) as [[string, unknown], [string, unknown]];
      const made = await make({ [first]: value });
      const changed = await sandbox.call("PUT", String(made.at("meta", "href")), { [second]: other });
      if (changed.at("errors", 0, "code") !== code) wrong.push(`${first}+${second}: ${String(changed.at("errors", 0, "code"))}`);
    }
    expect(wrong).toEqual([]);
  });

  it("with serial accounting keeps it (16002)", async () => {
    const made = await make(serial);
    expect(outcome(await sandbox.call("PUT", String(made.at("meta", "href")), { isSerialTrackable: false }))).toEqual([412, 16002]);
  });

  it("has packs only beside a unit (16008), and none of its own unit (3028)", async () => {
    const [piece, box] = [shopReference(sandbox, "uom", "шт"), shopReference(sandbox, "uom", "упак")];
    expect(outcome(await make({ packs: [{ uom: box, quantity: 10 }] }))).toEqual([412, 16008]);
    expect(outcome(await make({ uom: piece, packs: [{ uom: piece, quantity: 10 }] }))).toEqual([412, 3028]);
    expect((await make({ uom: piece, packs: [{ uom: box, quantity: 10 }] })).status).toBe(200);
  });
});

describe("a bundle", () => {
  it("has a marking of the list, and another one is 16106", async () => {
    const body = leastBody(sandbox, "bundle");
    for (const type of TRACKING) expect((await sandbox.call("POST", "entity/bundle", { ...body, trackingType: type })).status).toBe(200);
    expect(outcome(await sandbox.call("POST", "entity/bundle", { ...body, trackingType: "NONSENSE" }))).toEqual([412, 16106]);
  });
});
