import type { CallResult } from "../../cluster/calls.ts";
import { NOT_HERE } from "../../cluster/forwarding.ts";
import type { CallAnswer } from "../../cluster/inbound.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type Deadline, deadlineIn } from "../../kernel/deadline.ts";
import type { Lanes } from "../../operations/lanes.ts";
import { agentIdentitySchema, agentInspectSchema, lookUpSchema } from "../../registers/agent/wire/register-schema.ts";
import { NOT_HELD } from "../../registers/not-permitted.ts";
import type { Recalled, RecordedAttempt, Register } from "../../registers/register.ts";
import { type PassedQuestion, passedQuestionSchema, passedRecalledSchema } from "./passed-question-schema.ts";

export const QUESTION_PATH = "/internal/question";

const ANSWERED = "answered";
const BUSY = "busy";

const BUSY_WORDS = "касса занята другими операциями";
const NO_ANSWER = "процесс сервера, с которым связан агент, не ответил";

interface ResultSchema<T> {
  safeParse(result: unknown): { success: true; data: T } | { success: false };
}

type Asked = { ask: "identity" | "inspect" } | { ask: "lookUp"; number: number } | { ask: "recall"; attempt: RecordedAttempt };

interface PassedPlace {
  register: string;
  zone: string;
  /** Undefined: the register's process keeps the zone in which it uses the register. */
  zoneKnown?: boolean;
}

/**
 * Returns a `Register` for a register of another process. The returned object passes people's questions on. It refuses to perform and to
 * abandon, because only the register's process begins work at the register.
 */
export function passedRegister(place: PassedPlace, pass: (body: Buffer, deadline: Deadline) => Promise<CallResult>): Register {
  async function asked<T>(question: Asked, schema: ResultSchema<T>, deadline: Deadline) {
    const passed: PassedQuestion = { ...question, ...place, budgetMs: Math.floor(deadline.remainingMs()) };
    const answer = await pass(Buffer.from(JSON.stringify(passed)), deadline);
    if (answer.kind === "no-answer") return unreachable(NO_ANSWER);
    if (answer.outcome !== ANSWERED) return unreachable(answer.outcome === BUSY ? BUSY_WORDS : NOT_HELD);
    const read = schema.safeParse(JSON.parse(answer.body.toString("utf8")));
    return read.success ? read.data : unreachable(NO_ANSWER);
  }
  return {
    identity: (deadline) => asked({ ask: "identity" }, agentIdentitySchema, deadline),
    inspect: (deadline) => asked({ ask: "inspect" }, agentInspectSchema, deadline),
    lookUp: (number, deadline) => asked({ ask: "lookUp", number }, lookUpSchema, deadline),
    recall: (attempt, deadline) => asked({ ask: "recall", attempt }, passedRecalledSchema, deadline),
    perform: async () => ({ kind: "refused", refusal: { code: "register-unreachable", details: { reason: NOT_HELD } } }),
    abandon: async () => unreachable(NOT_HELD),
    close: async () => {},
  };
}

interface AnswerParts {
  clock: Clock;
  lanes: Lanes;
  /** Takes the register for this process. False: this process does not hold the register. */
  enter(register: string): Promise<boolean>;
  deviceOf(register: string, zone: string, zoneKnown: boolean | undefined): Register;
}

/** Answers a question from another process, in the lane of the register. */
export async function answerQuestion({ clock, lanes, enter, deviceOf }: AnswerParts, body: Buffer): Promise<CallAnswer> {
  const question = passedQuestionSchema.parse(JSON.parse(body.toString("utf8")));
  const { register, zone, zoneKnown, budgetMs } = question;
  const deadline = deadlineIn(clock, budgetMs);
  if (!(await enter(register))) return { outcome: NOT_HERE, body: EMPTY };
  const place = lanes.enter(register, () => answerTo(deviceOf(register, zone, zoneKnown), question, deadline));
  if (place.kind === "full") return { outcome: BUSY, body: EMPTY };
  return { outcome: ANSWERED, body: Buffer.from(JSON.stringify(await place.result)) };
}

async function answerTo(device: Register, question: PassedQuestion, deadline: Deadline): Promise<object> {
  switch (question.ask) {
    case "identity":
      return device.identity(deadline);
    case "inspect":
      return device.inspect(deadline);
    case "lookUp":
      return device.lookUp(question.number, deadline);
    case "recall":
      return device.recall?.(question.attempt, deadline) ?? ({ kind: "unknown" } satisfies Recalled);
  }
}

function unreachable(reason: string): { kind: "unreachable"; reason: string } {
  return { kind: "unreachable", reason };
}

const EMPTY = Buffer.from("{}");
