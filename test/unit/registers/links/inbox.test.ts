import { describe, expect, it } from "vitest";
import { systemChance } from "../../../../src/kernel/clock.ts";
import { deadlineIn } from "../../../../src/kernel/deadline.ts";
import { Inbox } from "../../../../src/registers/links/inbox.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

describe("the bytes that wait for a reader", () => {
  it.each([1, 1_023, 1_024, 1_025, 5_000, 65_536])(
    "are handed over in pieces of 1 KiB, a turn of the event loop apart, and none is lost: %i bytes",
    async (length) => {
      const clock = new VirtualClock(0);
      const inbox = new Inbox(clock);
      const held: boolean[] = [];
      inbox.fedBy({ pause: () => held.push(true), resume: () => held.push(false) });
      const sent = systemChance.bytes(length);
      inbox.put(sent);
      const pieces: Buffer[] = [];
      for (;;) {
        let isOtherTurn = false;
        const turn = setImmediate(() => {
          isOtherTurn = true;
        });
        const received = await inbox.take(deadlineIn(clock, 0));
        clearImmediate(turn);
        if (received.kind !== "bytes") break;
        expect(isOtherTurn).toBe(pieces.length > 0);
        pieces.push(received.bytes);
      }
      expect(Buffer.concat(pieces)).toEqual(Buffer.from(sent));
      expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(1_024);
      expect(held).toEqual(length > 1_024 ? [true, false] : []);
    },
  );

  it("are all read before a loss is told", async () => {
    const clock = new VirtualClock(0);
    const inbox = new Inbox(clock);
    inbox.put(Buffer.alloc(3_000));
    inbox.end("cable");
    let length = 0;
    for (;;) {
      const received = await inbox.take(deadlineIn(clock, 0));
      if (received.kind !== "bytes") {
        expect(received).toEqual({ kind: "lost", reason: "cable" });
        break;
      }
      length += received.bytes.length;
    }
    expect(length).toBe(3_000);
  });
});
