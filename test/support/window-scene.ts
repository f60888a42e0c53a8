import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/kernel/clock.ts";
import { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { EMPLOYEE, type TestSandbox, testSandbox } from "./sandbox.ts";

export const WORKER = { login: "worker@shop", password: "secret", administrator: false, role: "worker" } as const;

/** In production no register is there by itself, so that the installation waits for one. */
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
  /** The platform's page with the frame, as this user opens it. */
  windowOf(login: string, query?: string): string;
  close(): Promise<void>;
}

/** A port that nobody listens at: server and sandbox have to know each other's address before they start. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

interface SceneOptions {
  development?: boolean;
  /** Networks whose requests may name another caller. */
  proxies?: string;
}

/**
 * Sandbox and server under two names, so that the frame is a third party's. No point of sale has a register, unless it is a
 * development server. Close it when the tests are over.
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
