import { expect } from "vitest";
import { wallTimeAt } from "../../src/kernel/moment.ts";
import type { Operation, PlatformId } from "../../src/model/operation.ts";
import type { StoreRules } from "../../src/operations/services.ts";
import type { Register } from "../../src/registers/register.ts";
import { Trial, ZONE } from "./registers.ts";
import { copyOf, restore } from "./restored.ts";
import { saleOperation, shiftOperation, Till, textOf } from "./till.ts";

/** The time between two operations. It is longer than clocks may differ. */
const WORK_MS = 20 * 60_000;

interface Request {
  operation: Operation;
  account: string;
  /** Kind and number of the document in the first answer. */
  answer: string;
}

/** A shop whose platform sends everything at its moment, and whose database is put back to a copy. */
export class Shop {
  readonly till: Till;
  /** Numbers of documents that the register does not give. */
  readonly withheld: Set<number>;
  readonly sent = new Map<string, Request>();
  #copy: Awaited<ReturnType<typeof copyOf>> | undefined;

  private constructor(till: Till, withheld: Set<number>) {
    this.till = till;
    this.withheld = withheld;
  }

  static async open(scheme: string, rules: Partial<StoreRules> = {}): Promise<Shop> {
    const withheld = new Set<number>();
    const line = (register: Register): Register => ({
      identity: (deadline) => register.identity(deadline),
      inspect: (deadline) => register.inspect(deadline),
      perform: (document, deadline) => register.perform(document, deadline),
      lookUp: async (number, deadline) =>
        withheld.has(number) ? { kind: "unreachable", reason: "занята" } : register.lookUp(number, deadline),
      abandon: (deadline) => register.abandon(deadline),
      close: () => register.close(),
    });
    return new Shop(await Till.open({ trial: await Trial.begin(scheme), line, rules }), withheld);
  }

  /**
   * Sends new operations one after the other, with time in between. Their names state the shift: `open 1`, `sale 1`, `close 1`. Shifts
   * whose name begins with B belong to another account.
   */
  async make(...names: string[]): Promise<string[]> {
    const answers: string[] = [];
    for (const name of names) {
      const [what = "", shift = ""] = name.split(" ");
      const operation = this.#operation(name, what, { id: `shift-${shift}`, idType: "native" });
      const account = shift.startsWith("B") ? "another" : "account";
      const answer = await this.#submit(operation, account);
      this.sent.set(name, { operation, account, answer });
      answers.push(answer);
      await this.#later();
    }
    return answers;
  }

  /** Repeats an operation that was sent before, as the platform does. */
  async repeat(name: string): Promise<string> {
    const request = this.sent.get(name);
    if (request === undefined) throw new Error(`${name} was not sent`);
    return this.#submit(request.operation, request.account);
  }

  /** Opens or closes the shift at the register itself, as a person does without the server. */
  async byHand(kind: "open-shift" | "close-shift"): Promise<void> {
    const { trial } = this.till;
    await trial.settled(trial.register.perform({ kind, reference: "by hand" }, trial.deadline));
    await this.#later();
  }

  async copy(): Promise<void> {
    this.#copy = await copyOf(this.till.store);
  }

  async restore(): Promise<void> {
    if (this.#copy !== undefined) await restore(this.till.store, this.#copy);
    await this.till.killAndRestart();
  }

  /** Repeats the operations twice, after the database was restored. Each must get its first answer, and the register must make nothing. */
  async repeatAll(names: readonly string[]): Promise<void> {
    const documents = await this.till.documents();
    const { shift } = await this.till.trial.state();
    for (const name of names) expect([name, await this.repeat(name)]).toEqual([name, this.sent.get(name)?.answer]);
    for (const name of names) expect([name, await this.repeat(name)]).toEqual([name, this.sent.get(name)?.answer]);
    expect(await this.till.documents()).toBe(documents);
    expect((await this.till.trial.state()).shift).toEqual(shift);
  }

  async #later(): Promise<void> {
    await this.till.trial.later(WORK_MS);
  }

  async #submit(operation: Operation, accountId: string): Promise<string> {
    const text = textOf(await this.till.submitAndWait(operation, undefined, { accountId }));
    return text.split(" ").slice(0, 2).join(" ");
  }

  #operation(name: string, what: string, shift: PlatformId): Operation {
    const moment = wallTimeAt(this.till.trial.clock.nowMs(), ZONE);
    const { id } = shift;
    if (what === "sale") return saleOperation(`${name} in ${id}`, { shift, moment });
    return shiftOperation(what === "open" ? "open-shift" : "close-shift", { shift, name: id, moment });
  }
}
