import type { CallResult } from "../../cluster/calls.ts";
import { NOT_HERE } from "../../cluster/forwarding.ts";
import type { CallAnswer } from "../../cluster/inbound.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type Deadline, deadlineIn } from "../../kernel/deadline.ts";
import type { Lanes } from "../../operations/lanes.ts";
import { agentIdentitySchema, agentInspectSchema, lookUpSchema } from "../../registers/agent/wire/register-schema.ts";
import { NOT_HELD } from "../../registers/not-permitted.ts";
import type { Register } from "../../registers/register.ts";
import { type PassedQuestion, passedQuestionSchema } from "./passed-question-schema.ts";

export const QUESTION_PATH = "/internal/question";

const ANSWERED = "answered";
/** The lane of the register is full. */
const BUSY = "busy";

/** The words for the person who has asked. */
const BUSY_WORDS = "касса занята другими операциями";
const NO_ANSWER = "процесс сервера, с которым связан агент, не ответил";

interface ResultSchema<T> {
  safeParse(result: unknown): { success: true; data: T } | { success: false };
}

/** What is asked, with its parameters. */
type Asked = { ask: "identity" | "inspect" } | { ask: "lookUp"; number: number };

/**
 * Returns a `Register` for a register that another process holds. It passes people's questions on to that process and refuses everything
 * else, because only the process that holds the register begins work at it.
 */
export function passedRegister(
  { register, zone }: { register: string; zone: string },
  pass: (body: Buffer, deadline: Deadline) => Promise<CallResult>,
): Register {
  async function asked<T>(question: Asked, schema: ResultSchema<T>, deadline: Deadline) {
    const passed: PassedQuestion = { ...question, register, zone, budgetMs: Math.floor(deadline.remainingMs()) };
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
    perform: async () => ({ kind: "refused", refusal: { code: "register-unreachable", details: { reason: NOT_HELD } } }),
    abandon: async () => unreachable(NOT_HELD),
    close: async () => {},
  };
}

interface AnswerParts {
  clock: Clock;
  lanes: Lanes;
  /** Takes the register for this process. False: another process has it. */
  enter(register: string): Promise<boolean>;
  /** Returns a register of this process. */
  deviceOf(register: string, zone: string): Register;
}

/** Answers a question that another process has passed on, in the lane of the register. */
export async function answerQuestion({ clock, lanes, enter, deviceOf }: AnswerParts, body: Buffer): Promise<CallAnswer> {
  const question = passedQuestionSchema.parse(JSON.parse(body.toString("utf8")));
  const { register, zone, budgetMs } = question;
  const deadline = deadlineIn(clock, budgetMs);
  if (!(await enter(register))) return { outcome: NOT_HERE, body: EMPTY };
  const place = lanes.enter(register, () => answerTo(deviceOf(register, zone), question, deadline));
  if (place.kind === "full") return { outcome: BUSY, body: EMPTY };
  return { outcome: ANSWERED, body: Buffer.from(JSON.stringify(await place.result)) };
}

function answerTo(device: Register, question: PassedQuestion, deadline: Deadline): Promise<object> {
  if (question.ask === "lookUp") return device.lookUp(question.number, deadline);
  return question.ask === "identity" ? device.identity(deadline) : device.inspect(deadline);
}

function unreachable(reason: string): { kind: "unreachable"; reason: string } {
  return { kind: "unreachable", reason };
}

const EMPTY = Buffer.from("{}");
