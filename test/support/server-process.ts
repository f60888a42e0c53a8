import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";

/** An empty folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "fiscal-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The real server as a process, not started yet. It is killed after the test. */
export function serverProcess(dataDir: string, environment: Record<string, string> = {}): ServerProcess {
  const server = new ServerProcess({
    dataDir,
    environment: { HOST: "127.0.0.1", PORT: "0", ...environment },
    clock: systemClock,
    detached: false,
  });
  onTestFinished(() => server.kill());
  return server;
}
