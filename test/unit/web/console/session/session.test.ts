import { expect, it } from "vitest";
import { systemChance } from "../../../../../src/kernel/clock.ts";
import { Secret } from "../../../../../src/kernel/secret.ts";
import { createSeal } from "../../../../../src/security/seal.ts";
import { ConsoleSessions } from "../../../../../src/web/console/session/session.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

const SEAL = createSeal(new Secret("a key of this test"));
/** Nothing was ended by hand. */
const ENDED = { add: async () => {}, has: async () => false };
const HOUR_MS = 3_600_000;

function sessionsOf(clock: VirtualClock, users: Record<string, string>): ConsoleSessions {
  const known = Object.entries(users).map(([login, hash]) => ({ login, passwordHash: new Secret(hash) }));
  return new ConsoleSessions({ seal: SEAL, clock, chance: systemChance, users: known, ended: ENDED });
}

it("a session survives a restart, and ends with its time, its login or its password", async () => {
  const clock = new VirtualClock(0);
  const { text } = sessionsOf(clock, { anna: "a hash" }).begin("anna");
  const loginAfter = async (users: Record<string, string>) => (await sessionsOf(clock, users).open(text))?.login;
  expect(await loginAfter({ anna: "a hash", boris: "another hash" })).toBe("anna");
  expect(await loginAfter({ anna: "another hash" })).toBeUndefined();
  expect(await loginAfter({ boris: "a hash" })).toBeUndefined();
  await clock.advance(9 * HOUR_MS);
  expect(await loginAfter({ anna: "a hash" })).toBeUndefined();
});

it("a session that began while the clock was ahead holds no longer than any other once the clock is right", async () => {
  const clock = new VirtualClock(0);
  const sessions = sessionsOf(clock, { anna: "a hash" });
  clock.jumpTo(365 * 24 * HOUR_MS);
  const { text } = sessions.begin("anna");
  expect(await sessions.open(text)).toMatchObject({ login: "anna" });
  clock.jumpTo(0);
  expect(await sessions.open(text)).toBeUndefined();
});

it("a session outlasts a clock that is put back by half a minute", async () => {
  const clock = new VirtualClock(HOUR_MS);
  const sessions = sessionsOf(clock, { anna: "a hash" });
  const { text } = sessions.begin("anna");
  clock.jumpTo(HOUR_MS - 30_000);
  expect(await sessions.open(text)).toMatchObject({ login: "anna" });
});
