import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { DEVELOPMENT_CREDENTIAL } from "../../src/app/config.ts";
import { freePort } from "../../src/tools/demo/processes/free-port.ts";
import type { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { PLATFORM_NAMES } from "../../src/tools/sandbox/caller/names.ts";
import { type CommandSaid, Commands } from "./commands.ts";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "./sandbox.ts";
import { stocked } from "./sandbox-bodies.ts";
import { serverProcess, temporaryFolder } from "./server-process.ts";

/** The real server beside a sandbox, with a loyalty programme. The output of all commands is kept. */
export class LoyaltyLife {
  readonly server: ServerProcess;
  readonly sandbox: TestSandbox;
  readonly accountId: string;
  /** The folder for files that commands read and make. The server has no files in it. */
  readonly desk: string;
  /** A file with the output of every command. */
  readonly said: string;
  /** The keys of tills that the platform was told. */
  readonly keys: string[] = [];
  /** The text of all requests of tills and their answers. */
  answered = "";

  readonly #commands: Commands;

  private constructor(server: ServerProcess, sandbox: TestSandbox, accountId: string) {
    this.server = server;
    this.sandbox = sandbox;
    this.accountId = accountId;
    this.desk = temporaryFolder();
    this.said = join(temporaryFolder(), "said.txt");
    writeFileSync(this.said, "");
    const env = { ...server.environment, DATA_DIR: server.dataDir };
    this.#commands = new Commands(this.desk, env);
  }

  /** Starts both and installs the solution. Both end with the test. */
  static async open(environment: Record<string, string>): Promise<LoyaltyLife> {
    const port = await freePort();
    const sandbox = await testSandbox({ solution: { target: `http://127.0.0.1:${port}`, ...DEVELOPMENT_CREDENTIAL } });
    onTestFinished(() => sandbox.close());
    const server = serverProcess(temporaryFolder(), {
      ...COMPILE_CACHE,
      PORT: String(port),
      PLATFORM_BASE_URL: sandbox.base,
      ...environment,
    });
    await server.start();
    await sandbox.beginSolution();
    const told = await sandbox.call("GET", `${sandbox.base}/sandbox/solution`);
    return new LoyaltyLife(server, sandbox, String(told.at("accountId")));
  }

  /** Sets the programme, switches it on, and waits until the platform knows the key. */
  async connect(programme: object): Promise<void> {
    await this.command("loyalty", "programme", "set", this.accountId, this.file("programme.json", JSON.stringify(programme)));
    await this.command("settings", "set", this.accountId, "*", "loyalty=on");
    await expect.poll(async () => typeof (await this.own("solution")).at("loyalty", "token"), { timeout: 60_000 }).toBe("string");
  }

  /** Calls the sandbox's register: `loyalty/enrol`, `loyalty/sale`, `loyalty/return`. Without a body the call is a GET. */
  async own(path: string, body?: object): Promise<SandboxAnswer> {
    const answer = await this.sandbox.call(body === undefined ? "GET" : "POST", `${this.sandbox.base}/sandbox/${path}`, body);
    this.answered += `${JSON.stringify(body)}\n${answer.text}\n`;
    return answer;
  }

  /** Searches for buyers as a till does. */
  search(text: string): Promise<{ status: number; body: unknown }> {
    const store = stocked(this.sandbox, "retailstore").id;
    return this.till("GET", `/counterparty?${new URLSearchParams({ search: text, retailStoreId: store })}`);
  }

  /** Calls the contract as a till does, with the key that the platform was told. A text is sent unchanged. */
  async till(method: "GET" | "POST", path: string, body?: object | string, key?: string): Promise<{ status: number; body: unknown }> {
    const token = key ?? (await this.#key());
    const answer = await fetch(`${this.server.base}/loyalty${path}`, {
      method,
      headers: { "content-type": "application/json", [PLATFORM_NAMES.canonical.loyaltyHeader]: token },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    this.answered += `${JSON.stringify(body)}\n${text}\n`;
    return { status: answer.status, body: answer.headers.get("content-type")?.includes("json") === true ? JSON.parse(text) : text };
  }

  async #key(): Promise<string> {
    const key = String((await this.own("solution")).at("loyalty", "token"));
    if (!this.keys.includes(key)) this.keys.push(key);
    return key;
  }

  /** A file on the desk. */
  file(name: string, content: string): string {
    const path = join(this.desk, name);
    writeFileSync(path, content);
    return path;
  }

  /** Runs a command beside the server, with the server's environment. */
  async command(...args: string[]): Promise<CommandSaid> {
    const said = await this.#commands.run(...args);
    appendFileSync(this.said, `${args.slice(0, 2).join(" ")}: ${said.text}\n${this.#commands.takeErrors()}`);
    return said;
  }
}
