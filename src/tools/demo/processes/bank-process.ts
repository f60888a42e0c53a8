import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { makeFolder } from "../../../kernel/folder.ts";
import { type BankPayment, bankPayments, readyBank } from "./bank-answer-schema.ts";
import { ChildProgram } from "./child-program.ts";

const CLI = fileURLToPath(new URL("../../../cli.ts", import.meta.url));
const STOP_LIMIT_MS = 20_000;
/** Far above the answer time of the control line. */
const CONTROL_LIMIT_MS = 10_000;

export type BankName = "yookassa" | "tbank";

interface BankOptions {
  name: BankName;
  /** The folder of the run, for the bank's output files. */
  dataDir: string;
  seed: number;
  clock: Clock;
  detached: boolean;
}

/** The fake bank of an acquirer as a child process. Also plays the buyers. */
export class BankProcess {
  readonly #options: BankOptions;
  readonly #program: ChildProgram;
  #ready = { base: "", control: "", acquirer: "" };

  constructor(options: BankOptions) {
    const dataDir = resolve(options.dataDir);
    makeFolder(dataDir);
    this.#options = options;
    this.#program = new ChildProgram({
      name: "the bank",
      outFile: join(dataDir, "demo-bank.out"),
      errorFile: join(dataDir, "demo-bank.err"),
      cwd: dataDir,
      clock: options.clock,
      detached: options.detached,
    });
  }

  get pid(): number {
    return this.#program.pid;
  }

  get base(): string {
    return this.#ready.base;
  }

  get control(): string {
    return this.#ready.control;
  }

  /** The server's settings for this bank: its address and the shop's credentials. */
  get environment(): Record<string, string> {
    const { base, acquirer } = this.#ready;
    return { DEFAULT_ACQUIRER: acquirer, [`${this.#options.name.toUpperCase()}_URL`]: base };
  }

  /** Throws a Failure when the bank does not start. */
  async start(): Promise<void> {
    const { name, seed } = this.#options;
    const started = await this.#program.start([CLI, "bank", name, "--seed", String(seed)], readyLine);
    if (started.kind === "ready") this.#ready = started.value;
  }

  /** Returns the newest payment of this amount. Throws a Failure when there is none. */
  async payment(amount: number): Promise<BankPayment> {
    const found = bankPayments.parse(await this.#control("GET", "payments")).findLast((payment) => payment.amount === amount);
    if (found === undefined) throw new Failure("bank-without-payment", "fault", `the bank has no payment of ${amount} kopecks`);
    return found;
  }

  async count(): Promise<number> {
    return bankPayments.parse(await this.#control("GET", "payments")).length;
  }

  async pay(amount: number): Promise<void> {
    const { id } = await this.payment(amount);
    await this.#control("POST", `payments/${id}/pay`);
  }

  stop(): Promise<void> {
    return this.#program.stop(STOP_LIMIT_MS);
  }

  /** Ends the bank and prevents a later start. */
  endForGood(): Promise<void> {
    return this.#program.endForGood();
  }

  release(): void {
    this.#program.release();
  }

  tail(): string[] {
    return this.#program.tail();
  }

  async #control(method: "GET" | "POST", path: string): Promise<unknown> {
    const response = await fetch(`${this.control}/${path}`, { method, signal: AbortSignal.timeout(CONTROL_LIMIT_MS) });
    const text = await response.text();
    if (!response.ok) throw new Failure("bank-control", "fault", `${method} ${path} at the bank was answered ${response.status} ${text}`);
    return JSON.parse(text);
  }
}

/** Reads the line of standard output. Undefined: the line is not complete yet. */
function readyLine(output: string): { base: string; control: string; acquirer: string } | undefined {
  const [line, rest] = output.split("\n", 2);
  return line === undefined || rest === undefined ? undefined : readyBank.parse(JSON.parse(line));
}
