import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../../src/kernel/clock.ts";
import { deadlineIn } from "../../../../src/kernel/deadline.ts";
import { guarded } from "../../../../src/registers/links/guarded.ts";
import type { Link } from "../../../../src/registers/links/link.ts";
import { locked } from "../../../../src/registers/links/locked.ts";

const soon = () => deadlineIn(systemClock, 5_000);

/** A link without a guard, which keeps what is written to it. */
function bareLink(): { link: Link; written: Uint8Array[] } {
  const written: Uint8Array[] = [];
  const link: Link = {
    name: "bare",
    isOpen: true,
    open: async () => ({ kind: "open" }),
    async write(bytes) {
      written.push(bytes);
      return { kind: "sent" };
    },
    drain: async () => ({ kind: "sent" }),
    read: async () => ({ kind: "silence" }),
    close: async () => {},
  };
  return { link, written };
}

describe("a guarded link", () => {
  it("asks before each write, in the same turn of the event loop", async () => {
    const { link, written } = bareLink();
    let may = true;
    const own = guarded(link, () => may);
    expect(await own.write(Buffer.from("a"), soon())).toEqual({ kind: "sent" });
    const sending = own.write(Buffer.from("b"), soon());
    expect(written).toHaveLength(2);
    may = false;
    expect(await sending).toEqual({ kind: "sent" });
    expect(await own.write(Buffer.from("c"), soon())).toMatchObject({ kind: "lost", left: false });
    expect(written).toHaveLength(2);
  });
});

describe("the lock of a device in the network", () => {
  it("shuts another out, and gives way where a lease decides", async () => {
    const name = `a device of this test ${randomUUID()}`;
    const open = (byLease: boolean) => {
      const link = locked(bareLink().link, { clock: systemClock, name, note() {}, byLease });
      onTestFinished(() => link.close());
      return link.open(soon());
    };
    expect(await open(true)).toEqual({ kind: "open" });
    expect(await open(false)).toMatchObject({ kind: "shut" });
    expect(await open(true)).toEqual({ kind: "open" });
  });
});
