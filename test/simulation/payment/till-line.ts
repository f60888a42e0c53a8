import { pause } from "../../../src/kernel/clock.ts";
import { deadlineIn, waitUntil } from "../../../src/kernel/deadline.ts";
import type { CallRefusal, TillCall } from "../../../src/payments/till/till-call.ts";
import { ACCOUNT } from "../../support/payment-process.ts";
import type { Operation } from "./operation.ts";
import type { PaymentServer } from "./server.ts";
import { broken, type PaymentWorld } from "./world.ts";

/** How long a till waits for an answer. Some tills give up before the server does. */
const PATIENCES_MS = [3_000, 10_000, 10_000, 30_000];
const TOKEN_LIFE_MS = 60_000;
/** The share of calls that are sent again with the token of a call that was answered. */
const STOLEN = 0.02;

type Answer<T> = T | CallRefusal | { kind: "nothing" };
type Work<T> = (payments: PaymentServer["payments"], call: TillCall) => Promise<T | CallRefusal>;

/** The line from the tills to the processes. Each call has a token of its own. */
export class TillLine {
  readonly #world: PaymentWorld;
  readonly #patienceMs: number;
  #tokens = 0;
  #used: TillCall["token"] | undefined;

  constructor(world: PaymentWorld) {
    this.#world = world;
    this.#patienceMs = world.chance.pick(PATIENCES_MS);
  }

  /** `nothing`: no process lives, none has answered in time, the process has failed, or the call had a used token. */
  async ask<T extends { kind: string }>(operation: Operation, amountKopecks: number, work: Work<T>): Promise<Answer<T>> {
    const { clock, chance } = this.#world;
    const { server } = this.#world;
    if (server === undefined) {
      await pause(clock, 1_000);
      return { kind: "nothing" };
    }
    this.#tokens += 1;
    const stolen = this.#used !== undefined && chance.happens(STOLEN) ? this.#used : undefined;
    const token = stolen ?? {
      issuer: "https://platform.example",
      id: `${chance.uuid()}-${this.#tokens}`,
      expiresAtMs: this.#world.wallMs + TOKEN_LIFE_MS,
    };
    const { id: operationId, storeId } = operation;
    const answer = await this.#answer(server, { token, accountId: ACCOUNT, storeId, operationId, amountKopecks }, work);
    if (stolen !== undefined && answer.kind !== "token-used" && answer.kind !== "nothing")
      throw broken("token-once", `a token was used twice, and the second call was answered ${answer.kind}`);
    if (stolen === undefined && answer.kind === "token-used") throw broken("token-once", "a fresh token counts as used");
    if (answer.kind !== "nothing") this.#used = token;
    return stolen === undefined ? answer : { kind: "nothing" };
  }

  async #answer<T extends { kind: string }>(server: PaymentServer, call: TillCall, work: Work<T>): Promise<Answer<T>> {
    const { clock } = this.#world;
    const asked = work(server.payments, call).catch((error: unknown) => {
      this.#world.alerts.push({ payment: undefined, text: String(error) });
      return { kind: "nothing" } as const;
    });
    const waited = await waitUntil(clock, deadlineIn(clock, this.#patienceMs), asked);
    return waited.kind === "finished" ? waited.value : { kind: "nothing" };
  }
}
