import { pause, systemClock } from "../../../src/kernel/clock.ts";
import type { CallFate, ProxiedCall } from "../bank-proxy.ts";
import type { QrShop } from "./shop.ts";

/** A death of the server at a call to its bank: at the n-th call of this name since the strike before. */
export interface Strike {
  call: RegExp;
  nth: number;
  when: "before" | "after";
}

/** When the call does not come within this time, the strike is left out, because the flows no longer make such a call. */
const LONGEST_WAIT_MS = 25_000;

/** The simulated acquirer is not called over a line, so there a death comes after this time. */
const SIMULATED_CALL_MS = 150;

/** Kills the server with -9 at chosen calls to its bank: before the bank gets the call, or after it has done the work. */
export class Strikes {
  /** The calls at which the server was killed, such as `POST /refunds after`. */
  readonly struck: string[] = [];
  readonly #shop: QrShop;
  #plan: Strike[] = [];
  #calls = 0;
  #isStopped = false;

  constructor(shop: QrShop) {
    this.#shop = shop;
    if (shop.proxy === undefined) return;
    shop.proxy.before = (call) => this.#before(call);
    shop.proxy.after = (call) => this.#after(call);
  }

  /** Ends the strikes. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Makes the strikes of the plan one after the other. Resolves when each was made or has waited for too long. */
  async strike(plan: readonly Strike[]): Promise<void> {
    this.#isStopped = false;
    for (const strike of plan) {
      this.#plan = [strike];
      this.#calls = 0;
      const endMs = systemClock.monotonicMs() + LONGEST_WAIT_MS;
      while (!this.#isStopped && this.#plan.length > 0 && systemClock.monotonicMs() < endMs) {
        if (this.#shop.proxy === undefined && this.#shop.alive) await this.#byTime();
        await pause(systemClock, 50);
      }
    }
    this.#plan = [];
  }

  async #byTime(): Promise<void> {
    const [next] = this.#plan;
    if (next === undefined) return;
    await pause(systemClock, next.nth * SIMULATED_CALL_MS);
    this.#plan.shift();
    this.struck.push(`${next.nth} ${next.when}`);
    await this.#shop.kill();
  }

  async #before(call: ProxiedCall): Promise<CallFate> {
    const [next] = this.#plan;
    if (next?.when !== "before" || !this.#isNext(call, next)) return "pass";
    await this.#die(call, next);
    return "lost-before";
  }

  async #after(call: ProxiedCall): Promise<void> {
    const [next] = this.#plan;
    if (next?.when === "after" && this.#isNext(call, next)) await this.#die(call, next);
  }

  #isNext({ method, path }: ProxiedCall, { call, nth }: Strike): boolean {
    if (!this.#shop.alive || !call.test(`${method} ${path}`)) return false;
    this.#calls += 1;
    return this.#calls === nth;
  }

  async #die({ method, path }: ProxiedCall, { when }: Strike): Promise<void> {
    this.#plan.shift();
    this.#calls = 0;
    this.struck.push(`${method} ${path.replace(/^\/v\d/, "").replace(/\/[0-9a-f-]{9,}.*$/i, "/id")} ${when}`);
    await this.#shop.kill();
  }
}
