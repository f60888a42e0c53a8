import { describe, expect, it } from "vitest";
import { sample } from "../../../../support/extent.ts";
import { cutAt, everyByte, lengths } from "../../../../support/shtrih-m-broken-cable.ts";

/** In the long run a test makes hundreds of sales. */
const LONG_MS = 60_000;
/** At how many bytes of each direction `npm test` cuts the power. In each direction a sale has some hundreds of bytes. */
const SHORT_COUNT = 20;

describe.each(["1.0", "2.0"] as const)("a sale in protocol %s at a device that is off for a moment", { timeout: LONG_MS }, (protocol) => {
  it("is registered with all that was sent for it or not at all, whichever byte of the request was the last", async () => {
    const { sent, closing } = await lengths(protocol);
    const seen = await cutAt(protocol, sample(everyByte(sent), SHORT_COUNT), (at) => ({ sent: at, power: true }));
    expect([...seen.keys()].filter((result) => !KNOWN.includes(result))).toEqual([]);
    expect(Math.max(...(seen.get("refused") ?? []))).toBeGreaterThan(closing.at / 2);
  });

  it("is registered with all that was sent for it or not at all, whichever byte of the answers was the last", async () => {
    const { received } = await lengths(protocol);
    const seen = await cutAt(protocol, sample(everyByte(received), SHORT_COUNT), (at) => ({ received: at, power: true }));
    expect([...seen.keys()].filter((result) => !KNOWN.includes(result))).toEqual([]);
  });
});

/** The outcomes that are right. `cutAt` itself compares each made document with the whole sale, tag by tag. */
const KNOWN = ["done", "refused", "in doubt, made", "in doubt, not made"];
