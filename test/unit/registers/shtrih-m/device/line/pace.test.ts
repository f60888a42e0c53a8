import { describe, expect, it } from "vitest";
import type { Link } from "../../../../../../src/registers/links/link.ts";
import { paced } from "../../../../../../src/registers/shtrih-m/device/line/pace.ts";
import { VirtualClock } from "../../../../../support/virtual-clock.ts";

const NEVER = { atMs: 0, remainingMs: () => 0 };

/** A line of the given speed over a link without delay. `out`: when bytes came out, and how many. */
function line(baud: number, inward: Uint8Array = new Uint8Array()) {
  const clock = new VirtualClock(0);
  const out: [number, number][] = [];
  let open = true;
  const link: Link = {
    name: "memory",
    get isOpen() {
      return open;
    },
    open: async () => ({ kind: "open" }),
    async write(bytes) {
      if (!open) return { kind: "lost", reason: "closed", left: false };
      out.push([clock.monotonicMs(), bytes.length]);
      return { kind: "sent" };
    },
    drain: async () => ({ kind: "sent" }),
    read: async () => ({ kind: "bytes", bytes: Buffer.from(inward) }),
    async close() {
      open = false;
    },
  };
  return { clock, out, link: paced(link, clock, baud) };
}

describe("a link paced as a serial line", () => {
  it("sends each byte once its ten bits have passed", async () => {
    const { clock, out, link } = line(1_000);
    const sent = link.write(Uint8Array.of(1, 2, 3), NEVER);
    await clock.advance(30);
    expect(await sent).toEqual({ kind: "sent" });
    expect(out).toEqual([
      [10, 1],
      [20, 1],
      [30, 1],
    ]);
  });

  it("sends the bytes of one tick of the timers together, and no slower in all than they are due", async () => {
    const { clock, out, link } = line(115_200);
    const sent = link.write(new Uint8Array(230), NEVER);
    await clock.advance(20);
    await sent;
    expect(out.reduce((sum, [, length]) => sum + length, 0)).toBe(230);
    // 230 bytes take 19.97 ms. Bytes that are due between two ticks are sent with the earlier tick and not delayed to the later one.
    expect(out.at(-1)?.[0]).toBeGreaterThan(18.9);
    expect(out.at(-1)?.[0]).toBeLessThan(19.98);
  });

  it("gives bytes that come in once the line would have carried them", async () => {
    const { clock, link } = line(1_000, new Uint8Array(5));
    let got = -1;
    const read = link.read(NEVER).then(() => {
      got = clock.monotonicMs();
    });
    await clock.advance(60);
    await read;
    expect(got).toBe(50);
  });

  it("keeps nobody waiting once it is closed, however much is on its way", async () => {
    const { clock, out, link } = line(50);
    const sent = link.write(new Uint8Array(250), NEVER);
    await clock.advance(400);
    await link.close();
    expect(await sent).toMatchObject({ kind: "lost" });
    expect(out).toHaveLength(2);
  });
});
