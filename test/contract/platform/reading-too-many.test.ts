import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { systemClock } from "../../../src/kernel/clock.ts";
import { openHostileReading } from "../../support/hostile/shop-reading.ts";

/** More objects of a type than one reading stores. */
const TOO_MANY = 10_100;
const DAY_MS = 24 * 3_600_000;
const TIME_LIMIT_MS = 120_000;

it("a type with too many objects to be read whole loses those that nothing has read for a month", { timeout: TIME_LIMIT_MS }, async () => {
  const shop = await openHostileReading();
  const uom = (id: string) => ({ type: "uom", id, name: "кг" }) as const;
  const [old, recent] = [randomUUID(), randomUUID()];
  const nowMs = systemClock.nowMs();
  const earlier = [
    { object: uom(old), readAtMs: nowMs - 31 * DAY_MS },
    { object: uom(recent), readAtMs: nowMs - 29 * DAY_MS },
  ];
  const ids = Array.from({ length: TOO_MANY }, () => randomUUID());
  const answer = ({ searchParams }: URL) => {
    const [offset, limit] = [Number(searchParams.get("offset") ?? 0), Number(searchParams.get("limit") ?? 1_000)];
    const rows = ids
      .slice(offset, offset + limit)
      .map((id) => ({ meta: { href: "http://a/b" }, id, updated: "2026-11-29 10:00:00", name: "кг" }));
    return Buffer.from(JSON.stringify({ meta: { size: ids.length, limit, offset }, rows }));
  };
  await shop.read(answer, earlier);
  const kept = (await shop.kept("uom")).map(({ id }) => id);
  expect(kept.length).toBeGreaterThan(9_900);
  expect(kept.includes(recent)).toBe(true);
  expect(kept.includes(old)).toBe(false);
  await shop.close();
});
