import { expect, it } from "vitest";
import { systemChance } from "../../../src/kernel/clock.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { checkPassword, hashPassword, isPasswordHash } from "../../../src/security/password.ts";

it("a password is known again by its hash, which is another each time", async () => {
  const [one, other] = await Promise.all([
    hashPassword(new Secret("пароль"), systemChance),
    hashPassword(new Secret("пароль"), systemChance),
  ]);
  expect(one).not.toBe(other);
  expect([isPasswordHash(one), await checkPassword(new Secret("пароль"), one), await checkPassword(new Secret("пароль "), one)]).toEqual([
    true,
    true,
    false,
  ]);
});

it.each(["", "secret", "scrypt$1$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "scrypt$32768$8$1$short$short"])(
  "the text %j is no hash of a password, and lets nobody in",
  async (text) => {
    expect([isPasswordHash(text), await checkPassword(new Secret("secret"), text)]).toEqual([false, false]);
  },
);
