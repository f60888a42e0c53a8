import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { runCommand } from "../../../src/cli/run.ts";
import { controlOrder, merchantOf } from "../../support/bank.ts";
import { startBank } from "../../support/bank-process.ts";
import { allowedMs } from "../../support/hostile/yardstick.ts";
import { temporaryFolder } from "../../support/server-process.ts";

const HOUR_MS = 3_600_000;

/** Runs the command in this process. It must end without a signal. */
async function run(...args: string[]): Promise<{ exitCode: number; out: string[]; err: string[] }> {
  const out: string[] = [];
  const err: string[] = [];
  const io = { out: (text: string) => out.push(text), err: (text: string) => err.push(text), signal: AbortSignal.abort() };
  const exitCode = await runCommand(COMMANDS, ["bank", ...args], io);
  return { exitCode, out, err };
}

describe.each([
  ["yookassa", /^yookassa\?shopId=\d{6}&secretKey=test_[0-9a-f]{43}$/, "/v3"],
  ["tbank", /^tbank\?terminalKey=\d{13}DEMO&password=[0-9a-f]{16}$/, "/v2"],
] as const)("the command bank %s", (name, setting, root) => {
  it("prints its addresses and credentials in one line, serves, and ends with 0 within two seconds", async () => {
    const bank = await startBank([name, "--seed", "5"]);
    expect(bank.acquirer).toMatch(setting);
    const origin = bank.control.replace(/\/control$/, "");
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(bank.base).toBe(`${origin}${root}`);
    const merchant = merchantOf(name, bank);
    const { id } = await merchant.create("one");
    expect((await merchant.read(id)).status).toBe(merchant.words.waiting);
    const { code, tookMs } = await bank.end("SIGTERM");
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(allowedMs(tookMs, 2_000));
  });

  it("remembers payments, refunds, keys, its seed and its clock in its folder after kill -9", async () => {
    const data = temporaryFolder();
    const first = await startBank([name, "--seed", "5", "--data", data]);
    const before = merchantOf(name, first);
    const { id, code } = await before.create("one");
    await controlOrder(first.control, "POST", `/payments/${id}/pay`);
    await before.refund(id, 5_000);
    const { id: waiting } = await before.create("two");
    await controlOrder(first.control, "POST", "/clock", { advanceMs: 30 * 60_000 });
    const rows = await controlOrder(first.control, "GET", "/payments");
    await first.end("SIGKILL");

    const second = await startBank([name, "--data", data], { CLOCK_AHEAD_MS: "0" });
    expect(second.acquirer).toBe(first.acquirer);
    expect(await controlOrder(second.control, "GET", "/payments")).toEqual(rows);
    expect(rows.body).toMatchObject([{ id, amount: 25_920, refunded: 5_000, refundAttempts: 1 }, { id: waiting }]);
    const after = merchantOf(name, second);
    const { status, body } = await after.refund(id, 1_000);
    if (name === "tbank") expect(body.ErrorCode).toBe("3029");
    else expect(status).toBe(200);
    if (name === "yookassa") expect(await after.create("one")).toMatchObject({ id, code });
    const { id: next } = await after.create("three");
    expect([id, waiting]).not.toContain(next);
    await second.end("SIGKILL");

    // The clock is 25 hours ahead, so the waiting payment has expired.
    const third = await startBank([name, "--data", data], { CLOCK_AHEAD_MS: String(25 * HOUR_MS) });
    const { body: late } = await controlOrder(third.control, "GET", "/payments");
    expect(late).toContainEqual(expect.objectContaining({ id: waiting, status: name === "tbank" ? "DEADLINE_EXPIRED" : "canceled" }));
    expect((await third.end("SIGINT")).code).toBe(0);
  });

  it("does not open the folder of another bank or another seed, nor one that is in use", async () => {
    const data = temporaryFolder();
    const bank = await startBank([name, "--seed", "5", "--data", data]);
    const inUse = await run(name, "--data", data);
    expect([inUse.exitCode, inUse.err]).toEqual([1, [expect.stringMatching(/^--data: [^\n]*in use/)]]);
    await bank.end("SIGTERM");
    const other = name === "tbank" ? "yookassa" : "tbank";
    for (const args of [
      [other, "--data", data],
      [name, "--data", data, "--seed", "6"],
    ]) {
      const { exitCode, out, err } = await run(...args);
      expect([exitCode, out, err]).toEqual([2, [], [expect.stringMatching(/^--data: [^\n]+$/)]]);
    }
  });
});

describe("the command bank", () => {
  it.each([
    [["tbank", "--bogus"], "--bogus"],
    [["tbank", "--port", "65536"], "--port"],
    [["tbank", "--seed", "-1"], "--seed"],
    [["tbank", "--data="], "--data"],
    [["yookassa", "--notify", "ftp://x"], "--notify"],
    [["yookassa", "--notify", "x"], "--notify"],
    [["tbank", "--pay-after", "soon"], "--pay-after"],
    [["tbank", "--fault", "explode"], "--fault"],
    [["tbank", "--fault", "busy=2"], "--fault"],
    [["tbank", "--fault", "busy=0.5=1"], "--fault"],
    [["tbank", "yookassa"], '"yookassa"'],
    [["sber"], "yookassa or tbank"],
    [[], "yookassa or tbank"],
  ])("refuses %j by code 2 and a line that names the cause", async (args, name) => {
    const { exitCode, out, err } = await run(...args);
    expect([exitCode, out]).toEqual([2, []]);
    expect(err).toEqual([expect.stringMatching(/^[^\n]+$/)]);
    expect(err.join()).toContain(name);
  });

  it("says in words, with code 1, that somebody listens on its port", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { exitCode, err } = await run("tbank", "--port", String(port));
    expect([exitCode, err]).toEqual([1, [expect.stringMatching(/^--port: [^\n]*EADDRINUSE[^\n]*$/)]]);
  });
});
