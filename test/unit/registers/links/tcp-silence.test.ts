import { expect, it, onTestFinished } from "vitest";
import { deadlineIn } from "../../../../src/kernel/deadline.ts";
import type { Link } from "../../../../src/registers/links/link.ts";
import { listenTcp, TcpLink } from "../../../../src/registers/links/tcp.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

/** A link to a device that the test plays, on a clock that the test moves. */
async function connected() {
  const clock = new VirtualClock(0);
  const accepted: Link[] = [];
  let arrived = () => {};
  const listener = await listenTcp({ host: "127.0.0.1", port: 0 }, clock, (far) => {
    accepted.push(far);
    arrived();
  });
  const link = new TcpLink(listener.place, clock);
  onTestFinished(async () => {
    await link.close();
    await listener.close();
  });
  const open = async () => {
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    expect(await link.open(deadlineIn(clock, 1_000))).toEqual({ kind: "open" });
    await arrival;
  };
  /** Waits for an answer that does not come. */
  const waitInVain = async (forMs: number) => {
    const read = link.read(deadlineIn(clock, forMs));
    await clock.advance(forMs);
    expect(await read).toEqual({ kind: "silence" });
  };
  await open();
  return { clock, link, accepted, open, waitInVain };
}

it("a connection on which a question was met with silence is opened anew before the next", async () => {
  const { link, accepted, open, waitInVain } = await connected();
  await waitInVain(3_000);
  expect(link.isOpen).toBe(false);
  await open();
  expect([link.isOpen, accepted.length, accepted[0]?.isOpen]).toEqual([true, 2, false]);
});

it("a connection is kept that answered late, and one that nobody waited at for long", async () => {
  const { clock, link, accepted, waitInVain } = await connected();
  for (let count = 0; count < 5; count += 1) await waitInVain(500);
  await clock.advance(60_000);
  await waitInVain(0);
  expect(link.isOpen).toBe(true);
  await waitInVain(2_000);
  await accepted[0]?.write(Buffer.of(0x06), deadlineIn(clock, 1_000));
  expect(await link.read(deadlineIn(clock, 1_000))).toMatchObject({ kind: "bytes" });
  expect([link.isOpen, accepted.length]).toEqual([true, 1]);
});
