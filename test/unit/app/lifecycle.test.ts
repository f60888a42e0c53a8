import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Host, run } from "../../../src/app/lifecycle.ts";
import { freePort } from "../../../src/tools/demo/processes/free-port.ts";
import { copyFiles, overwrite } from "../../support/overwritten.ts";

/** A process that only notes its orders. */
function noteHost() {
  const complaints: string[] = [];
  const exits: number[] = [];
  const exited = Promise.withResolvers<number>();
  let stop: ((signal: string) => void) | undefined;
  let crash: ((error: unknown) => void) | undefined;
  const host: Host = {
    onStop: (callback) => {
      stop = callback;
    },
    onCrash: (callback) => {
      crash = callback;
    },
    complain: (line) => void complaints.push(line),
    exit: (code) => {
      exits.push(code);
      exited.resolve(code);
    },
  };
  return {
    host,
    complaints,
    exits,
    exited: exited.promise,
    stop: (signal: string) => stop?.(signal),
    crash: (error: unknown) => crash?.(error),
    started: () => stop !== undefined && exits.length === 0,
  };
}

/** Sets the environment of this process for one test: a data folder of its own, a free port and no log. */
function environment(changes: Record<string, string> = {}): { folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "lifecycle-"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  const own = { HOST: "127.0.0.1", PORT: "0", DATA_DIR: join(folder, "data"), DATABASE_URL: "", LOG_LEVEL: "silent", NODE_ENV: "test" };
  for (const [name, value] of Object.entries({ ...own, ...changes })) vi.stubEnv(name, value);
  return { folder };
}

/** Returns the answer of /ready, or how the connection failed. */
async function readyAt(port: number): Promise<{ status: number; body: unknown } | { failed: unknown }> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/ready`);
    return { status: answer.status, body: await answer.json() };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return { failed: cause instanceof Error && "code" in cause ? cause.code : error };
  }
}

/** A server looks at its files by itself too. When that look comes before the request, it may have stopped listening already. */
const NOT_READY = [
  { status: 503, body: { status: "not ready", checks: { database: "failed" } } },
  { status: 503, body: { errors: [expect.objectContaining({ code: 503, error: "Server is stopping" })] } },
  ...["ECONNREFUSED", "ECONNRESET", "UND_ERR_SOCKET"].map((failed) => ({ failed })),
];

describe("the life of the server", () => {
  it("does not begin with a wrong configuration: a line for each cause, exit code 1, and no folder is made", async () => {
    const { folder } = environment({ PORT: "many", LOG_LEVEL: "loud" });
    const server = noteHost();
    await run(server.host);
    expect(server.complaints.join("\n").split("\n")).toEqual([
      expect.stringMatching(/^PORT expects/),
      expect.stringMatching(/^LOG_LEVEL expects/),
    ]);
    expect([server.exits, server.started()]).toEqual([[1], false]);
    expect(existsSync(join(folder, "data"))).toBe(false);
  });

  it("does not begin with a default register that no protocol knows, and gives the folder back", async () => {
    environment({ DEFAULT_REGISTER: "abacus:7" });
    const wrong = noteHost();
    await run(wrong.host);
    expect(wrong.complaints).toEqual([expect.stringMatching(/^DEFAULT_REGISTER: .*abacus/)]);
    expect([wrong.exits, wrong.started()]).toEqual([[1], false]);
    vi.stubEnv("DEFAULT_REGISTER", "");
    const right = noteHost();
    await run(right.host);
    expect([right.complaints, right.started()]).toEqual([[], true]);
    right.stop("SIGTERM");
    expect(await right.exited).toBe(0);
  });

  it("ends with code 0 when it is told to stop, and the next one gets folder and all", async () => {
    environment();
    for (const signal of ["SIGTERM", "SIGINT"]) {
      const server = noteHost();
      await run(server.host);
      expect(server.exits).toEqual([]);
      server.stop(signal);
      expect(await server.exited).toBe(0);
      expect([server.complaints, server.exits]).toEqual([[], [0]]);
    }
  });

  it("ends with code 0 when it is told to stop before it listens", async () => {
    environment();
    const server = noteHost();
    const running = run(server.host);
    server.stop("SIGTERM");
    expect(server.exits).toEqual([0]);
    await running;
    await expect.poll(() => server.exits).toEqual([0, 0]);
    expect(server.complaints).toEqual([]);
  });

  it("does not begin in a folder that another server holds: one line that names it, exit code 1", async () => {
    environment();
    const first = noteHost();
    await run(first.host);
    const second = noteHost();
    await run(second.host);
    expect(second.complaints).toEqual([expect.stringContaining(`in use by process ${process.pid}`)]);
    expect([second.exits, second.started()]).toEqual([[1], false]);
    first.stop("SIGTERM");
    expect(await first.exited).toBe(0);
  });

  it("does not begin on a port that is taken, and says so", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => new Promise((resolve) => taken.close(() => resolve())));
    const address = taken.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    environment({ PORT: String(address.port) });
    const server = noteHost();
    await run(server.host);
    expect(server.complaints).toEqual([expect.stringContaining(String(address.port))]);
    expect([server.exits, server.started()]).toEqual([[1], false]);
  });

  it("ends with code 1 when its data folder is taken away, and begins in no folder whose journal is missing", async () => {
    const port = await freePort();
    const { folder } = environment({ PORT: String(port) });
    const data = join(folder, "data");
    const server = noteHost();
    await run(server.host);
    expect(await readyAt(port)).toEqual({ status: 200, body: { status: "ready", checks: { database: "ok" } } });
    renameSync(data, `${data}-old`);
    expect(NOT_READY).toContainEqual(await readyAt(port));
    expect(await server.exited).toBe(1);
    // The moved folder is complete: after it was moved back, it works again.
    renameSync(`${data}-old`, data);
    const again = noteHost();
    await run(again.host);
    expect(again.started()).toBe(true);
    again.stop("SIGTERM");
    expect(await again.exited).toBe(0);
    rmSync(join(data, "fiscal.sqlite"));
    const without = noteHost();
    await run(without.host);
    expect(without.complaints).toEqual([
      expect.stringMatching(/^There is no database at .*fiscal\.sqlite: a server has worked in .* before/),
    ]);
    expect([without.exits, without.started()]).toEqual([[1], false]);
  });

  it("ends with code 1 when its database is overwritten with an older copy, and serves again from that copy", async () => {
    const port = await freePort();
    const { folder } = environment({ PORT: String(port) });
    const file = join(folder, "data", "fiscal.sqlite");
    const server = noteHost();
    await run(server.host);
    copyFiles(file, join(folder, "older"));
    expect(await readyAt(port)).toMatchObject({ status: 200 });
    overwrite(file, join(folder, "older"));
    expect(NOT_READY).toContainEqual(await readyAt(port));
    expect(await server.exited).toBe(1);
    expect(readFileSync(file).equals(readFileSync(join(folder, "older")))).toBe(true);
    copyFiles(join(folder, "older"), file);
    const again = noteHost();
    await run(again.host);
    expect([again.complaints, again.started()]).toEqual([[], true]);
    again.stop("SIGTERM");
    expect(await again.exited).toBe(0);
  });

  it("ends with code 1 when something is thrown that nobody caught", async () => {
    environment();
    const server = noteHost();
    await run(server.host);
    for (const thrown of [new Error("a fault"), "a text", undefined]) server.crash(thrown);
    expect(server.exits).toEqual([1, 1, 1]);
    server.stop("SIGTERM");
    await expect.poll(() => server.exits).toEqual([1, 1, 1, 0]);
  });
});
