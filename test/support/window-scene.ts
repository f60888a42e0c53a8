import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/kernel/clock.ts";
import { freePort } from "../../src/tools/demo/processes/free-port.ts";
import { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { EMPLOYEE, type TestSandbox, testSandbox } from "./sandbox.ts";

export const WORKER = { login: "worker@shop", password: "secret", administrator: false, role: "worker" } as const;

export const CREDENTIAL = {
  appId: "0b6ff3a0-6a0f-4f0a-9f39-3c1f0f6d0003",
  appUid: "pages.shop-tools",
  secretKey: "a secret of the pages' tests",
};

export const SECRET_KEY = "a key of the pages' tests";

/** The platform with the solution installed, and the solution's real server. */
export interface WindowScene {
  sandbox: TestSandbox;
  server: ServerProcess;
  appId: string;
  /** The server's address. */
  base: string;
  /** The address of the platform's page with the frame, for this user. */
  windowOf(login: string, query?: string): string;
  close(): Promise<void>;
}

interface SceneOptions {
  development?: boolean;
  /** Networks whose requests may name the address of another caller. */
  proxies?: string;
}

/**
 * A sandbox and a server under two host names, so that the frame is of another site. No point of sale has a register,
 * except in a development server. Close it after the tests.
 */
export async function windowScene({ development = false, proxies = "" }: SceneOptions = {}): Promise<WindowScene> {
  const port = await freePort();
  const solution = { target: `http://localhost:${port}`, ...CREDENTIAL };
  const sandbox = await testSandbox({ solution, employees: [EMPLOYEE, WORKER] });
  const folder = mkdtempSync(join(tmpdir(), "fiscal-test-"));
  const server = new ServerProcess({
    dataDir: folder,
    environment: {
      HOST: "127.0.0.1",
      PORT: String(port),
      PLATFORM_BASE_URL: sandbox.base,
      QR_JWKS_URL: sandbox.jwks,
      QR_ISSUER: sandbox.issuer,
      ...(proxies === "" ? {} : { TRUSTED_PROXIES: proxies }),
      // In production there is no register by default, so the installation waits for one.
      ...(development ? { PUBLIC_URL: solution.target } : { NODE_ENV: "production" }),
      CREDENTIALS: JSON.stringify([{ ...CREDENTIAL, test: true }]),
      SECRET_KEY,
    },
    clock: systemClock,
    detached: false,
  });
  await server.start();
  await sandbox.beginSolution();
  return {
    sandbox,
    server,
    appId: CREDENTIAL.appId,
    base: server.base,
    windowOf: (login, query = "") => `${sandbox.base}/sandbox/window/${encodeURIComponent(login)}${query}`,
    async close() {
      await server.kill();
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
