import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/end-to-end-command.ts";
import { temporaryFolder } from "../support/server-process.ts";

/** The demo starts a server and a bank, and starts a killed server again, on a machine that runs other tests at the same time. */
const LIMIT_MS = 600_000;
/**
 * With these seeds the kills come while a code is made, paid, cancelled and refunded. The seeds depend on the number of the day's
 * steps.
 */
const KILLS = 6;
const SEEDS = { tbank: "9172", yookassa: "14849" } as const;

async function demo(...args: string[]): Promise<string> {
  return demoIn(temporaryFolder(), ...args);
}

async function demoIn(folder: string, ...args: string[]): Promise<string> {
  const { exitCode, out, err } = await runCommand(["demo", "--data", join(folder, "data"), ...args], folder);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  return out;
}

describe("the demo's payments by QR", { timeout: LIMIT_MS }, () => {
  it.each(Object.entries(SEEDS))(
    "are paid, cancelled and given back at the fake bank of %s, and neither lost nor doubled when the server is killed with -9",
    async (acquirer, seed) => {
      const out = await demo("--acquirer", acquirer, "--kill", String(KILLS), "--seed", seed);
      expect(out).toContain(`${KILLS} kills`);
      expect(out).toMatch(/^bank process \d+ at http:\/\/127\.0\.0\.1:\d+/m);
      expect(out).toMatch(/^17 +QR paid .* the buyer pays at the bank, .*DONE$/m);
      expect(out).toMatch(/^18 +sale, QR +12 /m);
      expect(out).toMatch(/^20 +QR cancelled .*REJECTED$/m);
      expect(out).toMatch(/^22 +QR money back .*, the bank gave it back once$/m);
    },
  );

  it("are told to the server by a fake bank that knows its address", async () => {
    const folder = temporaryFolder();
    await demoIn(folder, "--acquirer", "tbank");
    const log = readFileSync(join(folder, "data", "demo-server.log"), "utf8");
    expect(log).toMatch(/"outcome":"payment","route":"POST \/hooks\//);
  });

  it("and its member's points are neither lost nor doubled either", async () => {
    // With this seed the kills come while the member joins and is quoted, and while the sale and the return are booked.
    const out = await demo("--kill", String(KILLS), "--seed", "2722");
    expect(out).toContain(`${KILLS} kills`);
    expect(out).toMatch(/^35 +points back .* 38 points$/m);
  });
});
