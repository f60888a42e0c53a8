import { describe, expect, it } from "vitest";
import { cutEverywhere, lengths } from "../../../../support/shtrih-m-broken-cable.ts";

/** Hundreds of sales a test. */
const LONG_MS = 60_000;

describe.each(["1.0", "2.0"] as const)("a sale in protocol %s at a device that is off for a moment", { timeout: LONG_MS }, (protocol) => {
  it("is registered with all that was sent for it or not at all, whichever byte of the request was the last", async () => {
    const { sent, closing } = await lengths(protocol);
    const seen = await cutEverywhere(protocol, sent, (at) => ({ sent: at, power: true }));
    expect([...seen.keys()].filter((result) => !KNOWN.includes(result))).toEqual([]);
    expect(Math.max(...(seen.get("refused") ?? []))).toBeGreaterThan(closing.at / 2);
  });

  it("is registered with all that was sent for it or not at all, whichever byte of the answers was the last", async () => {
    const { received } = await lengths(protocol);
    const seen = await cutEverywhere(protocol, received, (at) => ({ received: at, power: true }));
    expect([...seen.keys()].filter((result) => !KNOWN.includes(result))).toEqual([]);
  });
});

/** `cutEverywhere` holds what was made against the whole sale, requisite by requisite. */
const KNOWN = ["done", "refused", "in doubt, made", "in doubt, not made"];
