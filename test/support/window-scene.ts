import { once } from "node:events";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { EMPLOYEE, type TestSandbox, testSandbox } from "./sandbox.ts";
import { serverProcess, temporaryFolder } from "./server-process.ts";

export const WORKER = { login: "worker@shop", password: "secret", administrator: false, role: "worker" } as const;

/** In production no register is there by itself, so that the installation waits for one. */
const CREDENTIAL = { appId: "0b6ff3a0-6a0f-4f0a-9f39-3c1f0f6d0003", appUid: "pages.shop-tools", secretKey: "a secret of the pages' tests" };

/** The platform with the solution installed, and the solution's real server. */
export interface WindowScene {
  sandbox: TestSandbox;
  server: ReturnType<typeof serverProcess>;
  /** The platform's page with the frame, as this user opens it. */
  windowOf(login: string, query?: string): string;
  /** The server's address under the name that the frame has. */
  base: string;
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

/**
 * Sandbox and server under two names, so that the frame is a third party's. `environment`: of the server; without more no point
 * of sale has a register.
 */
export async function windowScene(environment: Record<string, string> = {}): Promise<WindowScene> {
  const port = await freePort();
  const solution = { target: `http://localhost:${port}`, ...CREDENTIAL };
  const sandbox = await testSandbox({ solution, employees: [EMPLOYEE, WORKER] });
  onTestFinished(() => sandbox.close());
  const server = serverProcess(temporaryFolder(), {
    PORT: String(port),
    PLATFORM_BASE_URL: sandbox.base,
    NODE_ENV: "production",
    CREDENTIALS: JSON.stringify([{ ...CREDENTIAL, test: true }]),
    SECRET_KEY: "a key of the pages' tests",
    ...environment,
  });
  await server.start();
  await sandbox.beginSolution();
  const windowOf = (login: string, query = "") => `${sandbox.base}/sandbox/window/${encodeURIComponent(login)}${query}`;
  return { sandbox, server, windowOf, base: solution.target };
}
