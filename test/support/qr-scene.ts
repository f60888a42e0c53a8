import { expect } from "vitest";
import { FakeQr } from "./fake-qr.ts";
import { FakeSolution } from "./fake-solution.ts";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "./sandbox.ts";
import { VirtualClock } from "./virtual-clock.ts";

const APP = {
  appId: "00000000-0000-4000-8000-000000000001",
  appUid: "fiscal-solution.dev",
  secretKey: "development-secret-not-for-production",
};
const BEGAN_MS = Date.UTC(2026, 10, 29, 8);
/** The time between two looks at a payment. A till asks each second. */
const LOOK_MS = 500;

/** The state of a payment whose till has nothing left to do. */
const ENDED = { step: "ended" };

/** A sandbox whose time the test moves, and a solution that takes QR payments. */
export class QrScene {
  readonly clock = new VirtualClock(BEGAN_MS);
  readonly qr = new FakeQr(() => this.clock.nowMs());
  readonly solution: FakeSolution;
  #sandbox: TestSandbox;

  private constructor(solution: FakeSolution, sandbox: TestSandbox) {
    this.solution = solution;
    this.#sandbox = sandbox;
  }

  /** Opens the scene with the solution installed. */
  static async open(): Promise<QrScene> {
    const solution = await FakeSolution.open();
    const scene = new QrScene(solution, await testSandbox());
    solution.qr = scene.qr.answer;
    await scene.start();
    await scene.sandbox.beginSolution();
    return scene;
  }

  get sandbox(): TestSandbox {
    return this.#sandbox;
  }

  /** Replaces the sandbox by another one, with the folder or in memory. Its solution is not started yet. */
  async start(data?: string): Promise<void> {
    await this.#sandbox.close();
    this.#sandbox = await testSandbox({ clock: this.clock, data, solution: { target: this.solution.url, ...APP } });
    this.qr.jwks = this.#sandbox.jwks;
  }

  async restart(data: string): Promise<void> {
    await this.start(data);
    await this.#sandbox.beginSolution();
  }

  async close(): Promise<void> {
    await this.#sandbox.close();
    await this.solution.close();
  }

  own(path: string, method = "GET", body?: unknown): Promise<SandboxAnswer> {
    return this.#sandbox.call(method, `${this.#sandbox.base}/sandbox/${path}`, body);
  }

  /** Begins a payment and returns its id. */
  async begin(body: object): Promise<string> {
    const answer = await this.own("qr", "POST", body);
    expect([answer.status, answer.text]).toEqual([202, expect.any(String)]);
    return String(answer.at("operationId"));
  }

  /** Lets the sandbox's time pass until the payment has this state. */
  async until(id: string, wanted: object = ENDED): Promise<SandboxAnswer> {
    const look = async () => {
      await this.clock.advance(LOOK_MS);
      return (await this.own(`qr/${id}`)).body;
    };
    await expect.poll(look, { interval: 5 }).toMatchObject(wanted);
    return this.own(`qr/${id}`);
  }

  /** Begins a payment and lets it end. */
  async pay(body: object): Promise<SandboxAnswer> {
    return this.until(await this.begin(body));
  }

  /** The document of a payment, with its lines and goods. */
  sale(told: SandboxAnswer): Promise<SandboxAnswer> {
    return this.#sandbox.call("GET", `entity/retaildemand/${String(told.at("saleId"))}?expand=positions.assortment,owner&limit=10`);
  }

  fiscalSales() {
    return this.solution.fiscal().filter(({ path }) => path === "/fiscal/1/retaildemand");
  }
}

/** The names and statuses of a payment's calls. */
export function callsOf(told: SandboxAnswer): unknown[][] {
  return (told.at("calls") as { call: string; status: unknown }[]).map(({ call, status }) => [call, status]);
}
