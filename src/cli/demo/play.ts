import type { Chance, Clock } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Call } from "../../sandbox/call.ts";
import { readErrors, readFiscalAnswer } from "../../sandbox/fiscal-answer.ts";
import { fiscalCall, sendFiscalCall } from "../../sandbox/fiscal-call.ts";
import { activation, deactivation, type Installation, type Solution, sendVendorCall } from "../../sandbox/installation.ts";
import type { VendorSide } from "../../sandbox/vendor-side.ts";
import type { KillPlan } from "./kill-plan.ts";
import type { Ledger } from "./ledger.ts";
import type { ReceiptFolder } from "./receipt-folder.ts";
import type { Row } from "./report.ts";
import type { Answer, Stage } from "./stage.ts";
import type { Step } from "./steps.ts";

/** What a later step may repeat. */
type Played = Map<string, { call: Call; answer: Answer; row: Omit<Row, "number"> }>;

export interface Cast {
  solution: Solution;
  installation: Installation;
  platform: VendorSide;
  stage: Stage;
  ledger: Ledger;
  receipts: ReceiptFolder;
  plan: KillPlan;
  clock: Clock;
  chance: Chance;
}

/** A vendor call is repeated sooner than the platform would: the demo is watched by somebody. */
const VENDOR_RETRIES = { windowMs: 30_000, intervalMs: 500 };

/** Plays the steps one after the other; the first wrong answer ends it with a Failure that says what is wrong. */
export async function playSteps(steps: readonly Step[], cast: Cast, progress: (row: Row) => void): Promise<Row[]> {
  const rows: Row[] = [];
  const played: Played = new Map();
  for (const [index, step] of steps.entries()) {
    try {
      const row = { number: index + 1, ...(await playStep(step, index, cast, played)) };
      rows.push(row);
      progress(row);
    } catch (error) {
      if (error instanceof Failure) throw new Failure(error.code, error.kind, `${step.title}: ${error.message}`, { cause: error });
      throw error;
    }
  }
  return rows;
}

async function playStep(step: Step, index: number, cast: Cast, played: Played): Promise<Omit<Row, "number">> {
  switch (step.kind) {
    case "install":
    case "uninstall":
      return playLifecycle(step, index, cast);
    case "document": {
      const call = fiscalCall(step.effect.operation, step.body, cast.solution, cast.installation);
      const answer = await askFiscal(call, index, cast);
      const row = enter(step, index, answer, cast);
      played.set(step.title, { call, answer, row });
      return row;
    }
    case "repeat": {
      const first = played.get(step.of);
      if (first === undefined) throw new Failure("step-missing", "fault", `no step is called ${step.of}`);
      const answer = await askFiscal(first.call, index, cast);
      if (answer.status !== first.answer.status || !answer.body.equals(first.answer.body)) {
        throw wrong(`the repeat was answered otherwise: ${answer.status} ${excerpt(answer)}`);
      }
      return { ...first.row, title: step.title, elapsedMs: answer.elapsedMs, note: "the same answer, byte for byte" };
    }
    case "refused":
      return playRefused(step, index, cast);
  }
}

async function playLifecycle(step: Step & { kind: "install" | "uninstall" }, index: number, cast: Cast): Promise<Omit<Row, "number">> {
  const { solution, installation, platform, stage, clock } = cast;
  const install = step.kind === "install";
  const call = install
    ? activation(solution, installation, "Install", { ...cast, resource: `${platform.base}/api/remap/1.2` })
    : deactivation(solution, installation, "Uninstall", cast);
  if (install) platform.setStatus(installation.accountId, "Activating");
  const send = (base: string, prepared: Call) => sendVendorCall(base, prepared, clock, VENDOR_RETRIES);
  const answer = await stage.ask(call, send, cast.plan.during(index), ({ status }) => status === 200 || status === 204);
  const fine = install ? answer.status === 200 && statusOf(answer) === "Activated" : answer.status === 200 || answer.status === 204;
  if (!fine) throw wrong(`answered ${answer.status} ${excerpt(answer)}`);
  platform.setStatus(installation.accountId, install ? "Activated" : undefined);
  const [needless] = platform.received;
  if (needless !== undefined) throw wrong(`${needless.method} status was called although the answer said all`);
  return { title: step.title, elapsedMs: answer.elapsedMs, note: install ? "Activated" : "removed" };
}

async function playRefused(step: Step & { kind: "refused" }, index: number, cast: Cast): Promise<Omit<Row, "number">> {
  const call = fiscalCall(step.operation, step.body, cast.solution, cast.installation);
  const answer = await askFiscal(call, index, cast);
  const [error] = readErrors(answer.body);
  if (answer.status !== step.status || error?.code !== step.code) {
    throw wrong(`answered ${answer.status} ${excerpt(answer)}, where ${step.status} with code ${step.code} is due`);
  }
  return { title: step.title, elapsedMs: answer.elapsedMs, note: `refused, ${error.code}: ${error.message}` };
}

function enter(step: Step & { kind: "document" }, index: number, answer: Answer, cast: Cast): Omit<Row, "number"> {
  if (answer.status !== 200) throw wrong(`answered ${answer.status} ${excerpt(answer)}`);
  if (answer.contentType !== "application/json; charset=utf-8") throw wrong(`Content-Type is ${answer.contentType}`);
  const read = readFiscalAnswer(step.effect.operation, answer.body);
  if (read.kind === "wrong") throw wrong(read.problem);
  const problem = cast.ledger.enter(step.effect, read.answer, cast.clock.nowMs());
  if (problem !== undefined) throw wrong(problem);
  cast.receipts.write(index + 1, step.title, read.answer.pdf);
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

function askFiscal(call: Call, index: number, { stage, plan }: Cast): Promise<Answer> {
  return stage.ask(call, sendFiscalCall, plan.during(index), ({ status }) => status === 200);
}

function statusOf(answer: Answer): unknown {
  const value: unknown = JSON.parse(answer.body.toString("utf8"));
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>).status : undefined;
}

/** Enough of the answer to see what went wrong. */
function excerpt({ body }: Answer): string {
  return body.toString("utf8").slice(0, 300);
}

function wrong(reason: string): Failure {
  return new Failure("wrong-answer", "fault", reason);
}
