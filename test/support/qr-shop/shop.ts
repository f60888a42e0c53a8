import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEVELOPMENT_CREDENTIAL } from "../../../src/app/config.ts";
import { clockAhead, pause, systemChance, systemClock } from "../../../src/kernel/clock.ts";
import { BankProcess } from "../../../src/tools/demo/processes/bank-process.ts";
import { ServerProcess } from "../../../src/tools/demo/processes/server-process.ts";
import { type Exchange, send } from "../../../src/tools/sandbox/caller/call.ts";
import { activation, type Installation, type Solution, sendVendorCall } from "../../../src/tools/sandbox/caller/installation.ts";
import { PLATFORM_NAMES } from "../../../src/tools/sandbox/caller/names.ts";
import { type QrCallName, qrCall } from "../../../src/tools/sandbox/caller/qr-call.ts";
import { makeQrKey, type QrKey } from "../../../src/tools/sandbox/caller/qr-key.ts";
import { QrKeyAddress } from "../../../src/tools/sandbox/caller/qr-key-address.ts";
import { makeQrToken } from "../../../src/tools/sandbox/caller/qr-token.ts";
import { makeSigningKey } from "../../../src/tools/sandbox/caller/signing-key.ts";
import { VendorSide } from "../../../src/tools/sandbox/caller/vendor-side.ts";
import { BankProxy } from "../bank-proxy.ts";

const CLI = fileURLToPath(new URL("../../../src/cli.ts", import.meta.url));
const SOLUTION: Solution = { ...DEVELOPMENT_CREDENTIAL, names: PLATFORM_NAMES.canonical };
const STORE = "22222222-0000-4000-8000-000000000001";
const INSTALL_WITHIN = { windowMs: 30_000, intervalMs: 300 };
const TOKEN_LIFE_S = 60;
/** The time between two looks at whether the server must be started again. */
const AGAIN_MS = 300;

export type ShopAcquirer = "simulated" | "yookassa" | "tbank";

/** A payment in the records of the bank, as its control line shows it. */
export interface BankRow {
  id: string;
  status: string;
  amount: number;
  refunded: number;
}

interface ShopOptions {
  acquirer: ShopAcquirer;
  /** Further variables of the server's environment. */
  environment?: Record<string, string>;
}

/**
 * The real server as a process, with an installed account, the platform's keys of QR tokens, and the fake bank as another process.
 * Every call of the server to its bank goes through the proxy.
 */
export class QrShop {
  readonly acquirer: ShopAcquirer;
  readonly folder = mkdtempSync(join(tmpdir(), "qr-shop-"));
  readonly proxy: BankProxy | undefined;
  readonly keys = new QrKeyAddress();
  readonly installation: Installation = {
    accountId: systemChance.uuid(),
    accountName: "lavka",
    registrationId: systemChance.uuid(),
    key: makeSigningKey(),
  };
  aheadMs = 0;
  #server: ServerProcess | undefined;
  #isListening = false;
  readonly #key: QrKey;
  readonly #bank: BankProcess | undefined;
  readonly #platform = new VendorSide(SOLUTION, systemClock);
  readonly #environment: Record<string, string>;

  static async open({ acquirer, environment = {} }: ShopOptions): Promise<QrShop> {
    const key = await makeQrKey();
    const folder = mkdtempSync(join(tmpdir(), "qr-bank-"));
    const bank =
      acquirer === "simulated"
        ? undefined
        : new BankProcess({ name: acquirer, dataDir: folder, seed: 7, clock: systemClock, detached: false });
    await bank?.start();
    const proxy = bank === undefined ? undefined : new BankProxy(bank.base);
    await proxy?.open();
    const shop = new QrShop(acquirer, { key, bank, proxy, environment });
    await shop.#begin();
    return shop;
  }

  private constructor(
    acquirer: ShopAcquirer,
    parts: { key: QrKey; bank: BankProcess | undefined; proxy: BankProxy | undefined; environment: Record<string, string> },
  ) {
    this.acquirer = acquirer;
    this.proxy = parts.proxy;
    this.#key = parts.key;
    this.#bank = parts.bank;
    this.#environment = parts.environment;
  }

  get base(): string {
    return this.#server?.base ?? "";
  }

  /** True while the server listens. */
  get alive(): boolean {
    return this.#isListening && this.#server?.alive === true;
  }

  /** Starts the server, whose clock is `aheadMs` ahead. */
  async start(): Promise<void> {
    const environment = { ...this.#common(), ...this.#atBank(), HOST: "127.0.0.1", PORT: "0", ...this.#environment };
    this.#server = new ServerProcess({ dataDir: this.folder, environment, clock: systemClock, detached: false });
    await this.#server.start();
    this.#isListening = true;
  }

  /** Kills the server with -9. */
  async kill(): Promise<void> {
    this.#isListening = false;
    await this.#server?.kill();
  }

  /** Starts the server again after each death, until the signal. */
  async supervise(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      if (!this.alive) await this.start();
      await pause(systemClock, AGAIN_MS, stop);
    }
  }

  /** Makes one call of a till, with a new token. */
  async ask(name: QrCallName, operationId: string, amount: number): Promise<Exchange> {
    const body = { operationId, amount, accountId: this.installation.accountId, retailStoreId: STORE };
    return send(this.base, qrCall(name, body, this.token()), systemClock);
  }

  token(): string {
    const clock = clockAhead(this.aheadMs);
    return makeQrToken(this.#key, { issuer: SOLUTION.names.qrIssuer, lifeS: TOKEN_LIFE_S, clock, chance: systemChance });
  }

  /** The parts of the account's setting: its key and password at the bank. */
  setting(): URLSearchParams {
    return new URLSearchParams((this.#bank?.environment.DEFAULT_ACQUIRER ?? "").split("?")[1] ?? "");
  }

  /** The payments in the bank's records. */
  async rows(): Promise<BankRow[]> {
    return (await this.control("GET", "payments")) as BankRow[];
  }

  /** Sends an order to the control line of the bank. Undefined: the bank says that it is not possible now. */
  async control(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.#bank?.control}/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response.ok ? response.json() : undefined;
  }

  /** Lets time pass for the bank, and for the next start of the server. */
  async passes(ms: number): Promise<void> {
    this.aheadMs += ms;
    if (this.#bank !== undefined) await this.control("POST", "clock", { advanceMs: ms });
  }

  /** Runs a command beside the server and returns its JSON output. */
  async command(...args: string[]): Promise<unknown> {
    const env = { ...this.#common(), ...this.#atBank(), DATA_DIR: this.folder, ...this.#environment };
    const child = spawn(process.execPath, [CLI, ...args, "--json"], { cwd: this.folder, env, stdio: ["ignore", "pipe", "inherit"] });
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout) chunks.push(Buffer.from(chunk as Uint8Array));
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  }

  async close(): Promise<void> {
    await this.#server?.endForGood();
    await this.#bank?.endForGood();
    await Promise.all([this.proxy?.close(), this.keys.close(), this.#platform.close()]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #common(): Record<string, string> {
    return { PLATFORM_BASE_URL: this.#platform.base, QR_JWKS_URL: this.keys.url, CLOCK_AHEAD_MS: String(this.aheadMs) };
  }

  #atBank(): Record<string, string> {
    if (this.#bank === undefined || this.proxy === undefined) return { DEFAULT_ACQUIRER: "simulated" };
    return { ...this.#bank.environment, [`${this.acquirer.toUpperCase()}_URL`]: this.proxy.base };
  }

  async #begin(): Promise<void> {
    this.keys.publish([this.#key]);
    await Promise.all([this.keys.open(), this.#platform.open()]);
    await this.start();
    this.#platform.setStatus(this.installation.accountId, "Activating");
    const resource = `${this.#platform.base}/api/remap/1.2`;
    const call = activation(SOLUTION, this.installation, "Install", { clock: systemClock, chance: systemChance, resource });
    await sendVendorCall(this.base, call, systemClock, { ...INSTALL_WITHIN, signal: new AbortController().signal });
    this.#platform.setStatus(this.installation.accountId, "Activated");
  }
}
