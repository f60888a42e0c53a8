import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { SeededRandom } from "../../src/tools/seeded-random.ts";
import { EXTENT, extent } from "../support/extent.ts";
import { allowedMs } from "../support/hostile/yardstick.ts";
import { rawRequest } from "../support/raw-request.ts";
import { temporaryFolder } from "../support/registers.ts";
import { startCommand } from "../support/running-command.ts";
import { type SandboxProcess, startSandbox } from "../support/sandbox-process.ts";

const ROUNDS = extent({ short: 1, long: 3 });
const WRITERS = 4;
/** The number of signals, at different moments: the installation is stored in steps of some milliseconds. */
const SIGNALS = extent({ short: 2, long: 6 });
const SIGNAL_STEP_MS = 3;

async function start(...args: string[]): Promise<SandboxProcess> {
  const sandbox = await startSandbox(...args);
  onTestFinished(() => void sandbox.process.kill("SIGKILL"));
  return sandbox;
}

function call({ base, token, ca }: SandboxProcess, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, "accept-encoding": "gzip", "content-type": "application/json" };
  const trusted = ca === undefined ? undefined : readFileSync(ca, "utf8");
  return rawRequest(method, `${base}/api/remap/1.2/${path}`, headers, body === undefined ? undefined : JSON.stringify(body), trusted);
}

describe("the sandbox as a program", () => {
  let data: string;
  beforeEach(async () => {
    data = join(await temporaryFolder(), "account");
  });

  it.runIf(EXTENT === "long")("loses no write that was answered when it is killed with -9 while it writes, round after round", async () => {
    const random = new SeededRandom(1);
    const answered: string[] = [];
    let killed = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const sandbox = await start("--data", data, "--no-limits");
      const listed = (await call(sandbox, "GET", "entity/product?filter=name~=Запись")).body as { rows: { name: string }[] };
      expect(listed.rows.map(({ name }) => name)).toEqual(expect.arrayContaining(answered));
      const last = answered.length + 20 + random.below(20);
      const writers = Array.from({ length: WRITERS }, async (_, writer) => {
        for (let each = 0; ; each += 1) {
          const name = `Запись ${round}-${writer}-${each}`;
          const { status } = await call(sandbox, "POST", "entity/product", { name });
          if (status === 200) answered.push(name);
          if (answered.length >= last) sandbox.process.kill("SIGKILL");
        }
      });
      // Every writer ends when the kill cuts its connection.
      for (const outcome of await Promise.allSettled(writers)) if (outcome.status === "rejected") killed += 1;
      await sandbox.end("SIGKILL");
    }
    expect(killed).toBe(WRITERS * ROUNDS);
    const again = await start("--data", data);
    const found = (await call(again, "GET", "entity/product?filter=name~=Запись")).body as { rows: { name: string }[] };
    expect(found.rows.map(({ name }) => name)).toEqual(expect.arrayContaining(answered));
    expect(found.rows.length).toBeLessThanOrEqual(answered.length + WRITERS * ROUNDS);
  });

  it("keeps its token over a restart, takes a second one on its folder for a mistake, speaks TLS with one authority, and ends within 2 s with 0", async () => {
    // The sandbox tries an unreachable solution for a minute, which must not delay its end.
    const first = await start("--data", data, "--products", "50", "--employee", "seller@shop:secret", "--solution", "http://127.0.0.1:1");
    await expect(startCommand("sandbox", "--data", data)).rejects.toThrow(
      /^1: --data: the folder \S+ is in use by another sandbox: stop that one first\n$/,
    );
    expect([first.jwks, first.issuer]).toEqual([`${first.base}/.well-known/jwks.json`, "https://platform.example"]);
    const ended = await first.end("SIGTERM");
    expect([ended.code, ended.said]).toEqual([0, ""]);
    expect(ended.tookMs).toBeLessThan(allowedMs(ended.tookMs, 2_000));
    await expect(startCommand("sandbox", "--data", data, "--products", "51")).rejects.toThrow(/^2: --products: [^\n]+\n$/);
    const second = await start("--data", data, "--tls");
    expect(second.base).toMatch(/^https:/);
    expect(second.token).toBe(first.token);
    const size = (await call(second, "GET", "entity/product?filter=code~=Г0&limit=1")).body as { meta: { size: number } };
    expect(size.meta.size).toBe(50);
    expect((await second.end("SIGINT")).code).toBe(0);
    // A client that trusts the authority goes on: the named file and its content stay.
    const third = await start("--data", data, "--tls");
    expect((await call({ ...third, ca: second.ca ?? "" }, "GET", "entity/product?limit=1")).status).toBe(200);
    expect(third.ca).toBe(second.ca);
  });

  it("ends with 0 at whatever moment of an installation the signal comes", async () => {
    const ends = Array.from({ length: SIGNALS }, async (_, round) => {
      const sandbox = await start("--data", join(data, String(round)), "--solution", "http://127.0.0.1:1");
      await pause(systemClock, round * SIGNAL_STEP_MS);
      const { code, said } = await sandbox.end("SIGTERM");
      expect({ round, code, said }).toEqual({ round, code: 0, said: "" });
    });
    await Promise.all(ends);
  });

  it("takes a wrong employee for a mistake of the command line, which names the option, in memory and in a folder", async () => {
    const asAdmin = ["--employee", "admin@shop:other"];
    const stated = ["--admin", "boss@shop:secret"];
    const wrong: string[][] = [
      asAdmin,
      [...asAdmin, "--data", data],
      [...stated, "--employee", "boss@shop:other"],
      ["--employee", "a@shop:1", "--employee", "a@shop:2"],
      ["--employee", "a@shop"],
    ];
    for (const args of wrong) await expect(startCommand("sandbox", ...args), args.join(" ")).rejects.toThrow(/^2: --employee[^\n]+\n$/);
    // When another login is the administrator, this login is an ordinary one, also when the folder is started again without
    // naming it.
    await (await start(...stated, ...asAdmin, "--data", data)).end("SIGTERM");
    await (await start(...asAdmin, "--data", data)).end("SIGTERM");
    for (const unknown of ["boss@shop:other", "stranger@shop:1"]) {
      await expect(startCommand("sandbox", "--employee", unknown, "--data", data)).rejects.toThrow(/^2: --employee: [^\n]+\n$/);
    }
  });

  it("ends with 1 and one line when its log can take no more", async () => {
    const sandbox = await start("--data", data);
    let said = "";
    sandbox.process.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
    // Its last words may come after it has ended.
    const exited = once(sandbox.process, "close");
    rmSync(join(data, "account.log"));
    expect((await call(sandbox, "POST", "entity/product", { name: "Не записан" })).status).toBe(503);
    expect(await exited).toEqual([1, null]);
    expect(said).toMatch(/^the sandbox ends, its account can be kept no more: [^\n]*account\.log: [^\n]+\n$/);
  });
});
