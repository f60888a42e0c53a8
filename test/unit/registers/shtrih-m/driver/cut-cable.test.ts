import { describe, expect, it } from "vitest";
import { EXTENT, sample } from "../../../../support/extent.ts";
import { cutAt, everyByte, lengths } from "../../../../support/shtrih-m-broken-cable.ts";

/** In the long run a test makes hundreds of sales. */
const LONG_MS = 60_000;
/**
 * At how many bytes of each direction `npm test` cuts the cable, without those around the closing command. In each direction a sale has
 * some hundreds of bytes.
 */
const SHORT_COUNT = 8;
/** How many bytes before and behind each end of the closing command `npm test` cuts at, without a gap. */
const SHORT_REACH = 4;

/**
 * The bytes of the requests at which the cable is cut: all that are near the beginning and the end of the closing command, where the
 * outcome changes, and a sample of the others. In the long run all bytes.
 */
function sentPlaces(sent: number, { at, bytes }: { at: number; bytes: number }): number[] {
  const reach = EXTENT === "long" ? bytes : SHORT_REACH;
  const turning = [at, at + bytes].flatMap((turn) => everyByte(sent).slice(Math.max(0, turn - reach), turn + reach));
  return [...new Set([...sample(everyByte(sent), SHORT_COUNT), ...turning])].sort((a, b) => a - b);
}

function receivedPlaces(received: number): number[] {
  return sample(everyByte(received), SHORT_COUNT);
}

describe("a sale in protocol 1.0 over a cable that breaks", { timeout: LONG_MS }, () => {
  it("goes on when the cable is back at once, and is never made twice, whichever byte of the request was the last", async () => {
    const { sent, closing } = await lengths("1.0");
    const seen = await cutAt("1.0", sentPlaces(sent, closing), (at) => ({ sent: at }));
    expect([...seen.keys()].sort()).toEqual(["done", "in doubt, not made", "refused"]);
    // Before FF45 there is no doubt. In the middle of its frame the device has made nothing yet.
    for (const at of seen.get("in doubt, not made") ?? []) expect(at).toBeGreaterThan(closing.at);
  });

  it("is done when the cable is back at once, whichever byte of the answers was the last", async () => {
    const { received } = await lengths("1.0");
    const seen = await cutAt("1.0", receivedPlaces(received), (at) => ({ received: at }));
    expect([...seen.keys()]).toEqual(["done"]);
  });

  it("is refused up to FF45 and in doubt within it when the cable stays out, whichever byte of the request was the last", async () => {
    const { sent, closing } = await lengths("1.0");
    const seen = await cutAt("1.0", sentPlaces(sent, closing), (at) => ({ sent: at, forGood: true }));
    expect(Math.max(...(seen.get("refused") ?? []))).toBe(closing.at);
    const within = sentPlaces(sent, closing).filter((at) => at > closing.at && at < closing.at + closing.bytes);
    expect(seen.get("in doubt, not made")).toEqual(within);
    // The made sales are done, or in doubt when a new minute began before the driver could ask the drive for the time.
    const made = [...(seen.get("done") ?? []), ...(seen.get("in doubt, made") ?? [])];
    expect(made.sort((a, b) => a - b)).toEqual(sentPlaces(sent, closing).filter((at) => at >= closing.at + closing.bytes));
  });

  it("is in doubt for no longer than it takes to look when the answer to FF45 is cut and the cable stays out", async () => {
    const { received } = await lengths("1.0");
    const seen = await cutAt("1.0", receivedPlaces(received), (at) => ({ received: at, forGood: true }));
    expect([...seen.keys()].sort()).toEqual(["done", "in doubt, made", "refused"]);
  });
});

/** The largest difference in length between two sales: their numbers and checks differ, and some of these bytes are stuffed. */
const STUFFED_BYTES = 6;

describe("a sale in protocol 2.0 over a cable that breaks", { timeout: LONG_MS }, () => {
  it("is made once and done when the cable is back at once, whichever byte of the request was the last", async () => {
    const { sent, closing } = await lengths("2.0");
    const seen = await cutAt("2.0", sentPlaces(sent, closing), (at) => ({ sent: at }));
    expect(closing.at).toBeGreaterThan(0);
    expect([...seen.keys()]).toEqual(["done"]);
  });

  it("is made once and done when the cable is back at once, whichever byte of the answers was the last", async () => {
    const { received } = await lengths("2.0");
    expect([...(await cutAt("2.0", receivedPlaces(received), (at) => ({ received: at }))).keys()]).toEqual(["done"]);
  });

  it("is refused up to FF45 and in doubt within it when the cable stays out, whichever byte of the request was the last", async () => {
    const { sent, closing } = await lengths("2.0");
    const seen = await cutAt("2.0", sentPlaces(sent, closing), (at) => ({ sent: at, forGood: true }));
    const at = (result: string) => seen.get(result) ?? [];
    const made = [...at("done"), ...at("in doubt, made")];
    expect(at("refused").length + at("in doubt, not made").length + made.length).toBe(sentPlaces(sent, closing).length);
    expect(Math.abs(Math.max(...at("refused")) - closing.at)).toBeLessThan(STUFFED_BYTES);
    expect(Math.abs(Math.min(...at("in doubt, not made")) - closing.at)).toBeLessThan(STUFFED_BYTES);
    expect(Math.abs(Math.max(...at("in doubt, not made")) - closing.at - closing.bytes)).toBeLessThan(STUFFED_BYTES);
    expect(Math.abs(Math.min(...made) - closing.at - closing.bytes)).toBeLessThan(STUFFED_BYTES);
  });

  it("is in doubt for no longer than it takes to look when the answer to FF45 is cut and the cable stays out", async () => {
    const { received } = await lengths("2.0");
    const seen = await cutAt("2.0", receivedPlaces(received), (at) => ({ received: at, forGood: true }));
    expect([...seen.keys()].sort()).toEqual(["done", "in doubt, made", "refused"]);
  });
});
