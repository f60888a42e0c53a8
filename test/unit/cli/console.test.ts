import { expect, it } from "vitest";
import { consoleCommand } from "../../../src/cli/console.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { checkPassword } from "../../../src/security/password.ts";

async function hashed(given: string): Promise<string> {
  const out: string[] = [];
  const io = { out: (text: string) => out.push(text), err: () => {}, signal: new AbortController().signal };
  expect(await consoleCommand(async () => given).run(["hash"], io)).toBe(0);
  return out.join("\n");
}

it.each(["a long password\n", "a long password\r\n", "a long password"])(
  "console hash prints one line by which %j is known again",
  async (given) => {
    const line = await hashed(given);
    expect(line).not.toContain("\n");
    expect(await checkPassword(new Secret("a long password"), line)).toBe(true);
  },
);

it.each(["", "short", "x".repeat(1_025)])("console hash takes no password that is too short or too long", async (given) => {
  await expect(hashed(given)).rejects.toThrow("12 to 1024 characters");
});
