import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import type { Link } from "../../src/registers/links/link.ts";
import { describeLink, LINK_KINDS, LONG_MS, type TestCable, within } from "../support/links.ts";

/** A short time, ms, for tests that wait for silence. */
const SILENCE_MS = 30;
/** More bytes than any port accepts while nobody reads at its other end. */
const STANDING_BYTES = 8 * 1024 * 1024;
const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

for (const kind of LINK_KINDS) {
  describeLink("a link", kind, () => {
    let cable: TestCable;

    beforeEach(async () => {
      cable = await kind.make();
    });
    afterEach(() => cable.drop());

    it("carries every byte both ways unchanged", async () => {
      const { near, far } = await cable.join();
      expect(await near.write(EVERY_BYTE, within())).toEqual({ kind: "sent" });
      expect(await near.drain(within())).toEqual({ kind: "sent" });
      expect(await take(far, 256)).toEqual(EVERY_BYTE);
      await far.write(EVERY_BYTE.toReversed(), within());
      expect(await take(near, 256)).toEqual(Buffer.from(EVERY_BYTE.toReversed()));
    });

    it("keeps the order of many pieces", async () => {
      const { near, far } = await cable.join();
      const pieces = Array.from({ length: 64 }, (_, at) => Buffer.alloc(at + 1, at));
      const taken = take(far, Buffer.concat(pieces).length);
      for (const piece of pieces) await near.write(piece, within());
      expect(await taken).toEqual(Buffer.concat(pieces));
    });

    it("answers silence when nothing came in time", async () => {
      const { near } = await cable.join();
      expect(await near.read(within(SILENCE_MS))).toEqual({ kind: "silence" });
      expect(await near.read(within(0))).toEqual({ kind: "silence" });
    });

    it("gives a waiting reader the bytes as soon as they come", async () => {
      const { near, far } = await cable.join();
      const reading = near.read(within());
      await far.write(Uint8Array.of(6), within());
      expect(await reading).toEqual({ kind: "bytes", bytes: Buffer.of(6) });
    });

    it("sends nothing and says so before it is opened", async () => {
      expect(cable.near.isOpen).toBe(false);
      expect(await cable.near.write(Uint8Array.of(5), within())).toMatchObject({ kind: "lost", left: false });
      expect(await cable.near.read(within(SILENCE_MS))).toMatchObject({ kind: "lost" });
    });

    it("stays open when it is opened twice", async () => {
      const { near, far } = await cable.join();
      expect(await near.open(within())).toEqual({ kind: "open" });
      await far.write(Uint8Array.of(7), within());
      expect(await take(near, 1)).toEqual(Buffer.of(7));
    });

    it("tells a reader of the loss when the cable is pulled out, and sends nothing more", async () => {
      const { near } = await cable.join();
      const reading = near.read(within());
      await cable.cut();
      expect(await reading).toMatchObject({ kind: "lost" });
      expect(near.isOpen).toBe(false);
      expect(await near.write(Uint8Array.of(5), within())).toMatchObject({ kind: "lost", left: false });
    });

    it("says in words why it cannot be opened", async () => {
      await cable.cut();
      const opened = await cable.near.open(within());
      expect(opened).toMatchObject({ kind: "shut", reason: expect.stringMatching(/[а-я]{4}/) });
      expect(cable.near.isOpen).toBe(false);
    });

    it("is opened again once the cable is back", async () => {
      const first = await cable.join();
      const reading = first.near.read(within());
      await cable.cut();
      await reading;
      await cable.mend();
      const { near, far } = await cable.join();
      await near.write(Buffer.from("снова"), within());
      expect((await take(far, 10)).toString()).toBe("снова");
    });

    it("forgets bytes of an earlier opening", async () => {
      const first = await cable.join();
      await first.far.write(Uint8Array.of(1, 2, 3), within());
      // A cable carries both directions in one loop. The first of these bytes may come in the round of the three bytes and before them. When the
      // second one has arrived, that round has ended.
      for (const byte of [7, 8]) {
        await first.near.write(Uint8Array.of(byte), within());
        expect(await take(first.far, 1)).toEqual(Buffer.of(byte));
      }
      await first.near.close();
      await first.far.close();
      const { near, far } = await cable.join();
      await far.write(Uint8Array.of(9), within());
      expect(await take(near, 1)).toEqual(Buffer.of(9));
    });

    it("wakes its reader when it is closed", async () => {
      const { near } = await cable.join();
      const reading = near.read(within());
      await near.close();
      expect(await reading).toMatchObject({ kind: "lost" });
      await near.close();
      expect(near.isOpen).toBe(false);
    });

    it("ends a write that stands still when the cable is pulled out, at once and not at its deadline", async () => {
      await cable.near.open(within());
      const writing = cable.near.write(Buffer.alloc(STANDING_BYTES), within());
      const begunMs = systemClock.monotonicMs();
      await cable.cut();
      const written = await writing;
      const drained = await cable.near.drain(within());
      expect(systemClock.monotonicMs() - begunMs).toBeLessThan(LONG_MS / 2);
      expect([written, drained]).toContainEqual(expect.objectContaining({ kind: "lost", left: true }));
    });

    it("lets go of a sender that floods it", async () => {
      const { near, far } = await cable.join();
      const flood = Buffer.alloc(16_384);
      for (let piece = 0; piece < 8; piece += 1) await far.write(flood, within(1_000));
      const received = await near.read(within());
      expect(received.kind === "bytes" ? received.bytes.length : 0).toBeLessThanOrEqual(65_536);
    });
  });
}

/** Reads until that many bytes have come. */
async function take(link: Link, count: number): Promise<Buffer> {
  let taken = Buffer.alloc(0);
  while (taken.length < count) {
    const received = await link.read(within());
    if (received.kind !== "bytes") throw new Error(`${taken.length} of ${count} bytes came, then ${JSON.stringify(received)}`);
    taken = Buffer.concat([taken, received.bytes]);
  }
  return taken;
}
