import type { PaymentStatus } from "../../../src/model/payment.ts";
import { broken } from "./world.ts";

/** A QR operation as its till sees it. */
export class Operation {
  readonly id: string;
  readonly storeId: string;
  readonly amountKopecks: number;
  #told: "DONE" | "REJECTED" | undefined;
  /** Whether a cancel was answered with success before the till got DONE. */
  #cancelled = false;
  /** Whether a state call got no answer. DONE may have been sent and lost. */
  #unheard = false;
  /** The number of state calls without an answer so far. One of them may already be answered with DONE. */
  #asked = 0;

  constructor({ id, storeId, amountKopecks }: Pick<Operation, "id" | "storeId" | "amountKopecks">) {
    this.id = id;
    this.storeId = storeId;
    this.amountKopecks = amountKopecks;
  }

  get told(): "DONE" | "REJECTED" | undefined {
    return this.#told;
  }

  /** Called when a state call begins. */
  ask(): void {
    this.#asked += 1;
  }

  /** Called with the answer to a state call. */
  hear(status: PaymentStatus): void {
    this.#asked -= 1;
    const name = `operation ${this.id}`;
    if (this.#told === "DONE" && status !== "DONE") throw broken("done-stays", `${name} was DONE and is ${status}`);
    if (this.#told === "REJECTED" && status === "DONE") throw broken("rejected-stays", `${name} was REJECTED and is DONE`);
    if (this.#told === "REJECTED" && status === "IN_PROGRESS") throw broken("rejected-stays", `${name} was REJECTED and is in progress`);
    if (status === "DONE" && this.#cancelled) throw broken("cancel-counts", `${name} was cancelled and is DONE`);
    if (status !== "IN_PROGRESS") this.#told = status;
  }

  /** Called when a state call got no answer. */
  missed(): void {
    this.#asked -= 1;
    this.#unheard = true;
  }

  /** Called when a cancel of the whole payment was answered with success. */
  cancelEnded(): void {
    if (this.#told !== "DONE" && !this.#unheard && this.#asked === 0) this.#cancelled = true;
  }
}
