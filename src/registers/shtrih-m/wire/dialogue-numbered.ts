import { answers, commandOf, encodeRequest } from "../commands/commands.ts";
import {
  askingLimit,
  counted,
  type Ending,
  end,
  HANG_UP,
  type LineMemory,
  mayOpenAgain,
  NOTHING_HAPPENED,
  openLink,
  silent,
  stay,
  WHY,
  withStale,
} from "./dialogue-steps.ts";
import type { ExchangedKind, ExchangeRequest } from "./exchange.ts";
import { type NumberedToken, numberAfter, numberedFrame, QUESTION } from "./frame-numbered.ts";
import { type Effect, type Ended, greetingsOf, type Input as InputOf, type Step as StepOf, type Timing } from "./low-level.ts";

/*
 * The host's side of protocol 2.0 (shtrih-protocol 2.3). Pure: a state and an input give the next state, the bytes to send,
 * and the time to wait.
 *
 *   opening      the link is being opened
 *   questioning  a frame of type I was sent. It asks for the number of the device's last command. The command gets the
 *                next number. If the device may already have the command, the answer shows its outcome.
 *   spending     a harmless command was sent under a number that the command must not use, see below
 *   awaiting     the command was sent under its number. Its answer ends the exchange. Silence or a damaged answer: the
 *                same frame is sent again under the same number; the device carries it out only once. An answer under
 *                the previous number is late and is skipped. An answer under any other number: the device has not
 *                carried out the command under the command's number, because it lost its power or another program
 *                sent it commands. A safe command then gets the number after that answer. The outcome of any other
 *                command stays unknown.
 *   ended        with a result
 *
 * A number protects its command while the device has power. After a power cut the device counts from 1 again and would
 * carry out number 1 a second time. So a command that must not be repeated never has number 1: a harmless command uses
 * that number up. A harmless command also uses up a number under which an older command may still arrive. Otherwise the
 * older command's answer would be read as the answer to the next command. After the link was reopened, the same frame is
 * sent again only to the same device with uninterrupted power. The device's stored answer proves both.
 */

export interface Turn extends Omit<ExchangeRequest, "reactionMs"> {
  /** The limit of questions before the command. */
  greetings: number;
  /** How long the driver waits for the answer to one question, ms. */
  greetingMs: number;
  timing: Timing;
}

/** What an exchange passes to the next exchange. */
export interface Left {
  /**
   * The device's last command. It is valid only while the link stays open. Undefined: the device must be asked for the number of its last
   * command.
   */
  last: Done | undefined;
  /** The number of a command that the device may or may not have carried out. */
  unsettled: number | undefined;
}

/** The number and answer of a carried out command. An empty answer: the device had carried out nothing. */
interface Done {
  number: number;
  answer: Buffer;
}

/** How often a frame is sent again at once after a damaged answer. After that the driver waits for silence first. */
const MAX_HURRIED = 3;
/** How many answers with a different number are accepted. More such answers mean that another program talks to the device. */
const MAX_FOREIGN = 3;
const FIRST_NUMBER = 1;
/** FCh changes nothing, needs no password, and is answered in every mode (shtrih-protocol 4.1). */
const HARMLESS = encodeRequest("deviceType", {});
const HARMLESS_CODE = commandOf("deviceType").code;

export type State = { name: "opening" | "questioning" | "spending" | "awaiting"; memory: Memory } | Ending<Memory>;

interface Memory extends LineMemory {
  turn: Turn;
  last: Done | undefined;
  unsettled: number | undefined;
  /** The number of the sent command, which the device may have carried out. Undefined: the command was not sent. */
  sent: number | undefined;
  deliveries: number;
  questions: number;
  hurried: number;
  foreign: number;
}

export type Input = InputOf<NumberedToken>;
export type Step = StepOf<State>;

export function turnOf(request: ExchangeRequest, timing: Timing): Turn {
  const { reactionMs = timing.acknowledgeMs, ...command } = request;
  return { ...command, greetings: greetingsOf(request, timing), greetingMs: Math.min(timing.acknowledgeMs, reactionMs), timing };
}

export function begin(turn: Turn, { open, left }: { open: boolean; left: Left | undefined }): Step {
  const memory: Memory = {
    ...NOTHING_HAPPENED,
    turn,
    last: open ? left?.last : undefined,
    unsettled: left?.unsettled,
    sent: undefined,
    deliveries: 0,
    questions: 0,
    hurried: 0,
    foreign: 0,
  };
  if (!open) return connect(memory);
  return memory.last === undefined ? question(memory) : deliver(memory, memory.last);
}

export function transition(state: State, input: Input): Step {
  if (state.name === "ended") return stay(state);
  if (input.kind === "expired") return giveUp(state.memory, WHY.outOfTime);
  if (input.kind === "lost") return lost(state, input);
  const memory = input.kind === "flooded" ? undefined : counted(state.memory, input);
  if (input.kind === "flooded" || memory === undefined) return giveUp(state.memory, WHY.noisy, HANG_UP);
  return heard({ ...state, memory }, input);
}

export function ended(state: State): Ended<Left> | undefined {
  if (state.name !== "ended") return undefined;
  const { result, memory } = state;
  const { last, sent, stale } = memory;
  if (result.kind === "answered") return { result, stale, left: { last, unsettled: undefined } };
  const unsettled = result.kind === "unknown" ? sent : memory.unsettled;
  return { result, stale, left: { last: undefined, unsettled } };
}

type Running = Exclude<State, { name: "ended" }>;
type Heard = Exclude<Input, { kind: "lost" | "flooded" | "expired" }>;
type Message = Extract<Input, { kind: "message" }>;

function heard(state: Running, input: Heard): Step {
  switch (state.name) {
    case "opening":
      return opening(state, input);
    case "questioning":
      return questioning(state, input);
    case "spending":
      return spending(state, input);
    case "awaiting":
      return awaiting(state, input);
  }
}

function opening(state: Running, input: Heard): Step {
  if (input.kind === "shut") return giveUp(state.memory, input.reason);
  return input.kind === "opened" ? question(state.memory) : stay(state);
}

function questioning(state: Running, input: Heard): Step {
  switch (input.kind) {
    case "message":
      return afterQuestion(state.memory, input);
    case "damaged":
    case "silence":
      return question(state.memory);
    default:
      return stay(state);
  }
}

/** Handles the answer to a type I question. The answer has the number of the device's last command. */
function afterQuestion(memory: Memory, message: Message): Step {
  const done: Done = { number: message.number, answer: message.data };
  if (memory.sent === undefined) return deliver(current(aside(memory, message), done), done);
  if (message.number === memory.sent) return answer(memory, message);
  const kept = memory.last?.number === done.number && memory.last.answer.equals(done.answer) && done.answer.length > 0;
  return kept ? deliver(memory, done) : foreign(memory, message);
}

/**
 * Decides whether the unsettled command stays unsettled. If the command's number is the device's next number, the device may still carry
 * out the command. With any other number, the answer to this command can no longer be mistaken for a later answer: the device has carried
 * out the command, or the count has restarted.
 */
function current(memory: Memory, { number }: Done): Memory {
  return numberAfter(number) === memory.unsettled ? memory : { ...memory, unsettled: undefined };
}

function spending(state: Running, input: Heard): Step {
  const { memory } = state;
  const { last } = memory;
  if (last === undefined || input.kind === "damaged" || input.kind === "silence") return spend(memory);
  if (input.kind !== "message") return stay(state);
  // This is the late answer to an earlier question, so it is skipped.
  if (input.number === last.number) return stay(state);
  if (input.number !== numberAfter(last.number)) return foreign(memory, input);
  return deliver(aside(memory, input), { number: input.number, answer: input.data });
}

function awaiting(state: Running, input: Heard): Step {
  const { memory } = state;
  switch (input.kind) {
    case "message":
      if (input.number === memory.sent) return answer(memory, input);
      if (numberAfter(input.number) === memory.sent) return stay({ ...state, memory: aside(memory, input) });
      return foreign(memory, input);
    case "damaged":
      return memory.hurried < MAX_HURRIED ? again({ ...memory, hurried: memory.hurried + 1 }) : stay(state);
    case "silence":
      return again(memory);
    default:
      return stay(state);
  }
}

/**
 * Handles the answer under the command's number. If the answer belongs to a different command, another program has used the number
 * (shtrih-protocol 2.3, point 6).
 */
function answer(memory: Memory, message: Message): Step {
  if (message.data.length === 0 || !answers(memory.turn.code, message.data)) return foreign(memory, message);
  const last = { number: message.number, answer: message.data };
  return end({ ...memory, last }, { kind: "answered", data: message.data });
}

/**
 * Handles an answer under an unexpected number, or to an unexpected command. The device has not carried out the command, or has done so
 * before its count restarted.
 */
function foreign(before: Memory, message: Message): Step {
  const memory = { ...aside(before, message), foreign: before.foreign + 1 };
  if (memory.sent !== undefined && memory.turn.repeat === "never") {
    return giveUp(memory, "касса считает команды заново: она перезапускалась, или с ней говорила другая программа");
  }
  if (memory.foreign > MAX_FOREIGN) return giveUp(memory, "с кассой говорит другая программа");
  return deliver(memory, { number: message.number, answer: message.data });
}

/** Reopens a lost link, and asks the device which command it has carried out. */
function lost(state: Running, { reason, unsent }: { reason: string; unsent: boolean }): Step {
  const { memory } = state;
  const frameStayed = state.name === "awaiting" && unsent && memory.deliveries === 1;
  const known = frameStayed ? { ...memory, sent: undefined, deliveries: 0 } : memory;
  return mayOpenAgain(known) ? connect(known) : giveUp(known, reason);
}

function connect(memory: Memory): Step {
  return openLink(memory, { hasLeft: memory.sent !== undefined });
}

function question(memory: Memory): Step {
  const { turn, questions, sent } = memory;
  const limit = sent === undefined ? turn.greetings : askingLimit(turn.timing);
  if (questions >= limit) return sent === undefined ? end(memory, silent(false)) : giveUp(memory, WHY.silentAfterCommand);
  return {
    state: { name: "questioning", memory: { ...memory, questions: questions + 1 } },
    effects: [send(QUESTION)],
    waitMs: sent === undefined ? turn.greetingMs : turn.timing.acknowledgeMs,
  };
}

function spend(memory: Memory): Step {
  const { turn, questions, last } = memory;
  if (last === undefined || questions > turn.greetings) return end(memory, silent(false));
  return {
    state: { name: "spending", memory: { ...memory, questions: questions + 1 } },
    effects: [send(numberedFrame(numberAfter(last.number), HARMLESS))],
    waitMs: turn.timing.acknowledgeMs,
  };
}

/** Sends the command under the number after the device's last number. */
function deliver(before: Memory, last: Done): Step {
  const memory = { ...before, last };
  const { turn, sent, unsettled } = memory;
  const number = numberAfter(last.number);
  const isUnsafe = number === unsettled || (number === FIRST_NUMBER && turn.repeat === "never");
  if (isUnsafe && sent === undefined) return spend(memory);
  const deliveries = sent === number ? memory.deliveries + 1 : 1;
  return {
    state: { name: "awaiting", memory: { ...memory, sent: number, deliveries } },
    effects: [send(numberedFrame(number, turn.data))],
    // Protocol 2.0 has no acknowledgement. So the driver first waits only as long as for an acknowledgement in 1.0, then sends the frame
    // again.
    waitMs: deliveries === 1 ? Math.min(turn.timing.acknowledgeMs, turn.allowedMs) : turn.allowedMs,
  };
}

/** Sends the same frame again under the same number. */
function again(memory: Memory): Step {
  const { last, turn, deliveries } = memory;
  if (last === undefined || deliveries >= askingLimit(turn.timing)) return giveUp(memory, WHY.silentAfterCommand);
  return deliver(memory, last);
}

/** Stores a late answer to the unsettled command. The answer settles the doubt about this command. */
function aside(memory: Memory, { number, data }: Message): Memory {
  if (memory.unsettled !== number || data.length === 0) return memory;
  const settled = { ...memory, unsettled: undefined };
  // Under this number the device carried out the harmless command, and not the unsettled command.
  if (answers(HARMLESS_CODE, data)) return settled;
  return withStale(settled, data);
}

function giveUp(memory: Memory, reason: string, effects: readonly Effect[] = []): Step {
  const result: ExchangedKind = memory.sent === undefined ? { kind: "undelivered", reason, bytesLeft: false } : { kind: "unknown", reason };
  return end(memory, result, effects);
}

function send(bytes: Uint8Array): Effect {
  return { kind: "send", bytes };
}
