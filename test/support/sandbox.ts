import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { type OpenSandbox, openSandbox, type SandboxOptions } from "../../src/tools/sandbox/sandbox.ts";
import { defaultSettings, type SandboxSettings } from "../../src/tools/sandbox/settings.ts";

/** What the sandbox answered. */
export interface SandboxAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON. Undefined: it is no JSON. */
  body: unknown;
  /** A place inside of the body, step by step: `at("rows", 0, "name")`. Undefined: there is no such place. */
  at(...steps: (string | number)[]): unknown;
}

/** A sandbox for one test file, with the calls of a client over HTTP. */
export interface TestSandbox extends OpenSandbox {
  api: string;
  /** `path` is relative to `{api}`, or a whole address. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<SandboxAnswer>;
}

export const ADMINISTRATOR = { login: "admin@shop", password: "secret", administrator: true };
export const EMPLOYEE = { login: "seller@shop", password: "secret", administrator: false };

/** Starts a sandbox on a free port, in memory and without limits unless `options` says otherwise. Close it in `afterAll`. */
export async function testSandbox(
  options: Partial<Omit<SandboxOptions, "settings">> & { settings?: Partial<SandboxSettings> } = {},
): Promise<TestSandbox> {
  const sandbox = await openSandbox({
    clock: systemClock,
    chance: systemChance,
    log: silentLog,
    port: 0,
    data: undefined,
    seed: 1,
    products: undefined,
    token: "test-token",
    administrator: ADMINISTRATOR,
    employees: [EMPLOYEE],
    profile: "canonical",
    limited: false,
    faults: [],
    publicUrl: undefined,
    tls: false,
    solution: undefined,
    tokenSeconds: 60,
    ...options,
    settings: { ...defaultSettings(options.profile ?? "canonical"), ...options.settings },
  });
  const { token } = sandbox;
  const api = `${sandbox.base}/api/remap/1.2`;
  return {
    ...sandbox,
    api,
    async call(method, path, body, headers = {}) {
      const response = await fetch(path.startsWith("http") ? path : `${api}/${path}`, {
        method,
        redirect: "manual",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return answered(response, text);
    },
  };
}

function answered(response: Response, text: string): SandboxAnswer {
  const body = parsed(text);
  return {
    status: response.status,
    headers: response.headers,
    text,
    body,
    at: (...steps) =>
      steps.reduce<unknown>((value, step) => (typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined), body),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
