import { expect, it } from "vitest";
import { systemChance } from "../../../../../src/kernel/clock.ts";
import { Secret } from "../../../../../src/kernel/secret.ts";
import { createSeal } from "../../../../../src/security/seal.ts";
import { ConsoleSessions } from "../../../../../src/web/console/session/session.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

const SEAL = createSeal(new Secret("a key of this test"));
const HOUR_MS = 3_600_000;

function sessionsOf(clock: VirtualClock, users: Record<string, string>): ConsoleSessions {
  const known = Object.entries(users).map(([login, hash]) => ({ login, passwordHash: new Secret(hash) }));
  return new ConsoleSessions({ seal: SEAL, clock, chance: systemChance, users: known });
}

it("a session survives a restart, and ends with its time, its login or its password", async () => {
  const clock = new VirtualClock(0);
  const { text } = sessionsOf(clock, { anna: "a hash" }).begin("anna");
  const loginAfter = (users: Record<string, string>) => sessionsOf(clock, users).open(text)?.login;
  expect(loginAfter({ anna: "a hash", boris: "another hash" })).toBe("anna");
  expect(loginAfter({ anna: "another hash" })).toBeUndefined();
  expect(loginAfter({ boris: "a hash" })).toBeUndefined();
  await clock.advance(9 * HOUR_MS);
  expect(loginAfter({ anna: "a hash" })).toBeUndefined();
});
