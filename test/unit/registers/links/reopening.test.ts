import { describe, expect, it } from "vitest";
import { deadlineIn } from "../../../../src/kernel/deadline.ts";
import { openWithin } from "../../../../src/registers/links/reopening.ts";
import { MemoryPort } from "../../../support/memory-link.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

describe("opening a link again", () => {
  it("tries at growing distances, never more than two seconds apart, until the time is over", async () => {
    const { clock, link, attempts } = broken();
    const opening = openWithin(link, { clock, withinMs: 10_000, deadline: deadlineIn(clock, 60_000) });
    await clock.advance(60_000);
    expect(await opening).toEqual({ kind: "shut", reason: "кабель вынут" });
    expect(attempts).toEqual([0, 100, 300, 700, 1_500, 3_100, 5_100, 7_100, 9_100]);
  });

  it("ends with the caller's own limit when that is shorter", async () => {
    const { clock, link, attempts } = broken();
    const opening = openWithin(link, { clock, withinMs: 60_000, deadline: deadlineIn(clock, 350) });
    await clock.advance(60_000);
    expect(await opening).toMatchObject({ kind: "shut" });
    expect(attempts).toEqual([0, 100, 300]);
  });

  it("opens as soon as the cable is back", async () => {
    const { clock, link, port } = broken();
    const opening = openWithin(link, { clock, withinMs: 10_000, deadline: deadlineIn(clock, 60_000) });
    await clock.advance(1_000);
    port.refuse(undefined);
    await clock.advance(1_000);
    expect(await opening).toEqual({ kind: "open" });
  });

  it("stops when its owner closes", async () => {
    const { clock, link, attempts } = broken();
    const owner = new AbortController();
    const opening = openWithin(link, { clock, withinMs: 10_000, deadline: deadlineIn(clock, 60_000), signal: owner.signal });
    await clock.advance(150);
    owner.abort();
    await clock.advance(0);
    expect(await opening).toMatchObject({ kind: "shut" });
    expect(attempts).toEqual([0, 100]);
  });
});

/** A link that cannot be opened, with the times at which somebody tried. */
function broken() {
  const clock = new VirtualClock(0);
  const attempts: number[] = [];
  const port = new MemoryPort({ clock }, () => {});
  port.refuse("кабель вынут");
  const link = port.link();
  const open = link.open.bind(link);
  link.open = () => {
    attempts.push(clock.monotonicMs());
    return open();
  };
  return { clock, link, port, attempts };
}
