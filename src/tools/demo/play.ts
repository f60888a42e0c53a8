import { Failure } from "../../kernel/failure.ts";
import type { Call } from "../sandbox/caller/call.ts";
import { readErrors, readFiscalAnswer } from "../sandbox/caller/fiscal-answer.ts";
import { activation, deactivation, sendVendorCall } from "../sandbox/caller/installation.ts";
import { type AnsweredRequest, Cashier, wrong } from "./cashier.ts";
import type { Cast } from "./cast.ts";
import type { Kill } from "./kill-plan.ts";
import { LoyaltyTill } from "./loyalty/till.ts";
import { QrTill } from "./qr/till.ts";
import type { Row } from "./report.ts";
import type { Answer } from "./stage.ts";
import { type DocumentStep, type Step, shiftStep } from "./steps.ts";

/** Shorter than the platform's interval, because a person waits for the demo. */
const VENDOR_RETRIES = { windowMs: 30_000, intervalMs: 500 };

type RowContent = Omit<Row, "number">;

/** Plays the steps in order. Throws a Failure that explains the first wrong answer. */
export async function playSteps(steps: readonly Step[], cast: Cast, progress: (row: Row) => void): Promise<Row[]> {
  const play = new Play(cast, progress);
  for (const [index, step] of steps.entries()) {
    try {
      await play.step(step, cast.plan.during(index));
    } catch (error) {
      if (error instanceof Failure) throw new Failure(error.code, error.kind, `${step.title}: ${error.message}`, { cause: error });
      throw error;
    }
  }
  return play.rows;
}

class Play {
  readonly rows: Row[] = [];
  readonly #cast: Cast;
  readonly #progress: (row: Row) => void;
  readonly #cashier: Cashier;
  readonly #qrTill: QrTill;
  readonly #loyaltyTill: LoyaltyTill;
  readonly #played = new Map<string, AnsweredRequest & { row: RowContent }>();

  constructor(cast: Cast, progress: (row: Row) => void) {
    this.#cast = cast;
    this.#progress = progress;
    this.#cashier = new Cashier(cast, () => this.#renewShift());
    this.#qrTill = new QrTill(cast, cast.qr);
    this.#loyaltyTill = new LoyaltyTill(cast, cast.loyalty);
  }

  async step(step: Step, kills: readonly Kill[]): Promise<void> {
    switch (step.kind) {
      case "install":
      case "uninstall":
        return this.#add(await playLifecycle(step, kills, this.#cast));
      case "document":
        return this.#document(step, kills);
      case "repeat":
        return this.#add(await this.#repeat(step, kills));
      case "refused":
        return this.#add(await this.#refused(step, kills));
      case "qr":
        return this.#add({ title: step.title, sumKopecks: step.sumKopecks, ...(await this.#qrTill.play(step, kills)) });
      case "loyalty":
        return this.#add({ title: step.title, ...(await this.#loyaltyTill.play(step, kills)) });
    }
  }

  async #document(step: DocumentStep, kills: readonly Kill[]): Promise<void> {
    if (step.newShift === true) this.#cashier.takeNewShift();
    const answered = await this.#cashier.ask(step.effect.operation, step.body, kills);
    const row = await this.#enter(step, answered.answer);
    this.#played.set(step.title, { ...answered, row });
    this.#add(row);
  }

  async #repeat(step: Step & { kind: "repeat" }, kills: readonly Kill[]): Promise<RowContent> {
    const first = this.#played.get(step.of);
    if (first === undefined) throw new Failure("step-missing", "fault", `no step is called ${step.of}`);
    const answer = await this.#cashier.send(first.call, kills);
    if (answer.status !== first.answer.status || !answer.body.equals(first.answer.body)) {
      throw wrong(`the repeat was answered otherwise: ${answer.status} ${excerpt(answer)}`);
    }
    return { ...first.row, title: step.title, elapsedMs: answer.elapsedMs, note: "the same answer, byte for byte" };
  }

  async #refused(step: Step & { kind: "refused" }, kills: readonly Kill[]): Promise<RowContent> {
    const { answer } = await this.#cashier.ask(step.operation, step.body, kills);
    const [error] = readErrors(answer.body);
    if (answer.status !== step.status || error?.code !== step.code) {
      throw wrong(`answered ${answer.status} ${excerpt(answer)}, where ${step.status} with code ${step.code} is due`);
    }
    return { title: step.title, elapsedMs: answer.elapsedMs, note: `refused, ${error.code}: ${error.message}` };
  }

  /** Closes a shift that is too old for another document, and opens a new shift. */
  async #renewShift(): Promise<void> {
    await this.#document(shiftStep(this.#cast, "closeshift", "close shift, too old"), []);
    this.#cashier.takeNewShift();
    await this.#document(shiftStep(this.#cast, "openshift", "open another shift"), []);
  }

  async #enter(step: DocumentStep, answer: Answer): Promise<RowContent> {
    if (answer.status !== 200) throw wrong(`answered ${answer.status} ${excerpt(answer)}`);
    if (answer.contentType !== "application/json; charset=utf-8") throw wrong(`Content-Type is ${answer.contentType}`);
    const read = readFiscalAnswer(step.effect.operation, answer.body);
    if (read.kind === "wrong") throw wrong(read.problem);
    const { ledger, clock, care, receipts } = this.#cast;
    const problem = ledger.enter(step.effect, read.answer, care === undefined ? clock.nowMs() : await care.nowMs());
    if (problem !== undefined) throw wrong(problem);
    receipts.write(this.rows.length + 1, step.title, read.answer.pdf);
    const { fiscalDocNumber, fiscalDocSign, chequesTotal, fiscalDocsTotal } = read.answer;
    return {
      title: step.title,
      documentNumber: fiscalDocNumber,
      sign: fiscalDocSign,
      sumKopecks: step.sumKopecks,
      elapsedMs: answer.elapsedMs,
      ...(chequesTotal === undefined ? {} : { note: `${chequesTotal} receipts, ${fiscalDocsTotal} fiscal documents` }),
    };
  }

  #add(content: RowContent): void {
    const row = { number: this.rows.length + 1, ...content };
    this.rows.push(row);
    this.#progress(row);
  }
}

async function playLifecycle(step: Step & { kind: "install" | "uninstall" }, kills: readonly Kill[], cast: Cast): Promise<RowContent> {
  const { solution, installation, platform, stage, clock, signal } = cast;
  const install = step.kind === "install";
  const call = install
    ? activation(solution, installation, "Install", { ...cast, resource: `${platform.base}/api/remap/1.2` })
    : deactivation(solution, installation, "Uninstall", cast);
  if (install) platform.setStatus(installation.accountId, "Activating");
  const send = (base: string, prepared: Call) => sendVendorCall(base, prepared, clock, { ...VENDOR_RETRIES, signal });
  const answer = await stage.ask(call, send, kills, ({ status }) => status === 200 || status === 204);
  const fine = install ? answer.status === 200 && statusOf(answer) === "Activated" : answer.status === 200 || answer.status === 204;
  if (!fine) throw wrong(`answered ${answer.status} ${excerpt(answer)}`);
  platform.setStatus(installation.accountId, install ? "Activated" : undefined);
  // Looks for status calls: no other call in this list has an account id. The answer to Install or Uninstall already gives the result, so
  // no status call is needed.
  const needless = platform.received.find(({ accountId }) => accountId === installation.accountId);
  if (needless !== undefined) throw wrong(`${needless.method} status was called although the answer said all`);
  if (install) await cast.installed();
  return { title: step.title, elapsedMs: answer.elapsedMs, note: install ? "Activated" : "removed" };
}

function statusOf(answer: Answer): unknown {
  const value: unknown = JSON.parse(answer.body.toString("utf8"));
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>).status : undefined;
}

function excerpt({ body }: Answer): string {
  return body.toString("utf8").slice(0, 300);
}
