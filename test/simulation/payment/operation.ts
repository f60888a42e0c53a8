import type { PaymentStatus } from "../../../src/model/payment.ts";
import { broken } from "./world.ts";

/** A QR operation as its till knows it. */
export class Operation {
  readonly id: string;
  readonly storeId: string;
  readonly amountKopecks: number;
  #told: "DONE" | "REJECTED" | undefined;
  /** A cancel was answered with success before DONE was heard. */
  #cancelled = false;
  /** A state call was not answered: DONE may have been told and not heard. */
  #unheard = false;
  /** State calls whose answers have not come yet: DONE may be told already. */
  #asked = 0;

  constructor({ id, storeId, amountKopecks }: Pick<Operation, "id" | "storeId" | "amountKopecks">) {
    this.id = id;
    this.storeId = storeId;
    this.amountKopecks = amountKopecks;
  }

  get told(): "DONE" | "REJECTED" | undefined {
    return this.#told;
  }

  /** A state call begins. */
  ask(): void {
    this.#asked += 1;
  }

  /** What a state call has answered. */
  hear(status: PaymentStatus): void {
    this.#asked -= 1;
    const name = `operation ${this.id}`;
    if (this.#told === "DONE" && status !== "DONE") throw broken("done-stays", `${name} was DONE and is ${status}`);
    if (this.#told === "REJECTED" && status === "DONE") throw broken("rejected-stays", `${name} was REJECTED and is DONE`);
    if (this.#told === "REJECTED" && status === "IN_PROGRESS") throw broken("rejected-stays", `${name} was REJECTED and is in progress`);
    if (status === "DONE" && this.#cancelled) throw broken("cancel-counts", `${name} was cancelled and is DONE`);
    if (status !== "IN_PROGRESS") this.#told = status;
  }

  /** A state call got no answer. */
  missed(): void {
    this.#asked -= 1;
    this.#unheard = true;
  }

  /** A cancel of the whole payment was answered with success. */
  cancelEnded(): void {
    if (this.#told !== "DONE" && !this.#unheard && this.#asked === 0) this.#cancelled = true;
  }
}
