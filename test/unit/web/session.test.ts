import { expect, it } from "vitest";
import { systemChance } from "../../../src/kernel/clock.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { createSeal } from "../../../src/security/seal.ts";
import { PageSessions } from "../../../src/web/settings/session/session.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const SEAL = createSeal(new Secret("key of the tests"));
const USER = { appId: "app", accountId: "account", name: "anna@shop", role: "admin", administrator: true };

it("a session of a page holds for half an hour, for its own account and role, and for no other server", async () => {
  const clock = new VirtualClock(Date.parse("2026-03-02T09:00:00Z"));
  const sessions = new PageSessions({ seal: SEAL, clock, chance: systemChance });
  const { text, session } = sessions.begin(USER, "en");
  expect(sessions.open(text)).toEqual({ ...USER, language: "en", csrf: session.csrf, expiresAtMs: clock.nowMs() + 30 * 60_000 });
  expect(text).not.toContain("anna");
  expect(sessions.begin(USER, "en").session.csrf).not.toBe(session.csrf);
  const other = new PageSessions({ seal: createSeal(new Secret("another key")), clock, chance: systemChance });
  expect([other.open(text), sessions.open(`${text}A`), sessions.open("nonsense")]).toEqual([undefined, undefined, undefined]);
  await clock.advance(30 * 60_000 - 1);
  expect(sessions.open(text)).toBeDefined();
  await clock.advance(1);
  expect(sessions.open(text)).toBeUndefined();
});

it("a session of a page that began while the clock was ahead holds no longer than any other once the clock is right", () => {
  const clock = new VirtualClock(Date.parse("2026-03-02T09:00:00Z"));
  const sessions = new PageSessions({ seal: SEAL, clock, chance: systemChance });
  const nowMs = clock.nowMs();
  clock.jumpTo(nowMs + 365 * 24 * 3_600_000);
  const { text } = sessions.begin(USER, "en");
  expect(sessions.open(text)).toBeDefined();
  clock.jumpTo(nowMs);
  expect(sessions.open(text)).toBeUndefined();
});

it("a session of a page outlasts a clock that is put back by half a minute", () => {
  const clock = new VirtualClock(Date.parse("2026-03-02T09:00:00Z"));
  const sessions = new PageSessions({ seal: SEAL, clock, chance: systemChance });
  const { text } = sessions.begin(USER, "en");
  clock.jumpTo(clock.nowMs() - 30_000);
  expect(sessions.open(text)).toBeDefined();
});
