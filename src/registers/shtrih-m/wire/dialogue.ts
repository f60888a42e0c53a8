import { answers } from "../commands/commands.ts";
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
import type { ExchangedKind } from "./exchange.ts";
import { ACK, ENQ, NAK, type Token } from "./frame.ts";
import type { Effect, Input as InputOf, Step as StepOf, Timing } from "./low-level.ts";

/*
 * The host's side of protocol 1.0 (shtrih-protocol 1.6, 1.7). Pure: a state and an input give the next state, the bytes to
 * send, and the time to wait.
 *
 *   opening    the link is being opened. Then greeting, or asking when the device may have the command.
 *   greeting   ENQ was sent, and nothing of the command. NAK: the device is idle, deliver. ACK: an older answer comes.
 *   collecting an older answer is coming; it is stored and acknowledged, then greeting again
 *   settling   bytes of a broken exchange arrive: wait for silence, then greeting again
 *   delivering the frame was sent. ACK: accepted. NAK: probably refused. Silence: not known, ask.
 *   denied     a NAK came after the frame: wait for silence, so that no late byte is left on the line, then ask
 *   awaiting   the device works on the command; its answer ends the exchange
 *   asking     ENQ was sent, and the device may have the command. ACK: the answer is coming. NAK: the device is idle
 *              and has no answer. Then a safe command, or a command whose frame got a NAK, is delivered again. The
 *              outcome of any other command stays unknown.
 *   ended      with a result
 *
 * The danger of this protocol is a NAK that does not answer the frame. A busy device later answers each ENQ that it
 * received meanwhile. If such a NAK were read as a refusal, the frame would be sent and carried out twice. So
 * `unanswered` counts the ENQs without an answer, and as many NAKs are skipped. On a bad line a doubled ENQ or a damaged
 * ACK causes further NAKs. So after each NAK the driver waits for silence and asks. A device that has accepted the frame
 * answers ENQ with ACK until its answer is acknowledged. A device that has not accepted the frame repeats NAK.
 */

export interface Turn {
  frame: Buffer;
  code: readonly number[];
  allowedMs: number;
  repeat: "safe" | "never";
  timing: Timing;
  /** The limit of ENQs before the command. */
  greetings: number;
}

/**
 * How often the frame of one command may be sent, if the device refuses the frame or the command is safe to repeat (shtrih-protocol 1.6
 * advises 3).
 */
const MAX_DELIVERIES = 3;
/**
 * After a NAK for a frame the driver waits this many times the usual silence. Such a NAK is rare, and misreading it can register a document
 * twice.
 */
const DENIED_SETTLES = 10;
/** How many answers may have a wrong check byte or belong to other commands. After that the device counts as unreadable. */
const MAX_REPEATS = 3;
/** How long the driver waits for the answer to a command of an earlier exchange. After that it asks the device again. */
const COLLECTING_MS = 30_000;

export type State =
  | { name: "opening" | "greeting" | "collecting" | "settling" | "delivering" | "denied" | "awaiting" | "asking"; memory: Memory }
  | Ending<Memory>;

interface Memory extends LineMemory {
  turn: Turn;
  /** Whether the frame was sent and not refused. The device may then have carried out the command. */
  doubt: boolean;
  /** Whether a NAK came after the frame. An ENQ then shows whether the NAK answered the frame. */
  denied: boolean;
  greetings: number;
  deliveries: number;
  questions: number;
  repeats: number;
  /** The number of unanswered ENQs. Their NAKs may still come. */
  unanswered: number;
  /** True once the driver has waited for silence. False again after an ENQ without a reaction. */
  settled: boolean;
}

export type Input = InputOf<Token>;
export type Step = StepOf<State>;

/** Returns the first step. `unanswered`: unanswered ENQs of the last exchange. */
export function begin(turn: Turn, { open, unanswered }: { open: boolean; unanswered: number }): Step {
  const memory: Memory = {
    ...NOTHING_HAPPENED,
    turn,
    doubt: false,
    denied: false,
    greetings: 0,
    deliveries: 0,
    questions: 0,
    repeats: 0,
    unanswered,
    settled: false,
  };
  if (!open) return connect(memory);
  return unanswered > 0 ? settle(memory) : greet(memory);
}

export function transition(state: State, input: Input): Step {
  if (state.name === "ended") return stay(state);
  if (input.kind === "expired") return giveUp(state.memory, WHY.outOfTime);
  if (input.kind === "lost") return lost(state, input);
  const memory = input.kind === "flooded" ? undefined : counted(state.memory, input);
  if (input.kind === "flooded" || memory === undefined) return giveUp(state.memory, WHY.noisy, HANG_UP);
  return heard({ ...state, memory }, input);
}

function heard(state: Running, input: Heard): Step {
  switch (state.name) {
    case "opening":
      return opening(state, input);
    case "greeting":
      return greeting(state, input);
    case "collecting":
      return collecting(state, input);
    case "settling":
      return settling(state, input);
    case "delivering":
      return delivering(state, input);
    case "denied":
      return denied(state, input);
    case "awaiting":
      return awaiting(state, input);
    case "asking":
      return asking(state, input);
  }
}

type Running = Exclude<State, { name: "ended" }>;
type Heard = Exclude<Input, { kind: "lost" | "flooded" | "expired" }>;

function opening(state: Running, input: Heard): Step {
  const { memory } = state;
  if (input.kind === "shut") return giveUp(memory, input.reason);
  if (input.kind !== "opened") return stay(state);
  // Answers to earlier ENQs never come on a new connection, so the count begins again.
  const fresh = { ...memory, unanswered: 0 };
  return memory.doubt ? ask(fresh) : greet(fresh);
}

function greeting(state: Running, input: Heard): Step {
  const { memory } = state;
  switch (input.kind) {
    case "nak": {
      const heard = { ...memory, unanswered: Math.max(0, memory.unanswered - 1) };
      return heard.unanswered > 0 && !heard.settled ? settle(heard) : deliver(heard);
    }
    case "ack":
      return { state: { name: "collecting", memory: replied(memory) }, effects: [], waitMs: COLLECTING_MS };
    case "frame":
      return greet(withStale(replied(memory), input.data), [send(ACK)]);
    case "damaged":
      return settle(memory);
    case "silence":
      return greet({ ...memory, settled: false });
    case "noise":
      return isFiller(input) ? stay(state) : settle(memory);
    case "enq":
      return settle(memory);
    default:
      return stay(state);
  }
}

function collecting(state: Running, input: Heard): Step {
  const { memory } = state;
  switch (input.kind) {
    case "frame":
      return greet(withStale(memory, input.data), [send(ACK)]);
    case "damaged":
      return greet(memory, [send(NAK)]);
    case "silence":
      return greet(memory);
    default:
      return stay(state);
  }
}

function settling(state: Running, input: Heard): Step {
  const { memory } = state;
  switch (input.kind) {
    case "silence":
      return greet({ ...memory, settled: true });
    case "ack":
    case "nak":
      return settle(replied(memory));
    case "frame":
      return settle(withStale(memory, input.data), [send(ACK)]);
    default:
      return settle(memory);
  }
}

function delivering(state: Running, input: Heard): Step {
  const { memory } = state;
  if (input.kind !== "nak") return afterCommand(state, input);
  return memory.unanswered > 0 ? stay({ ...state, memory: replied(memory) }) : deny(memory);
}

function denied(state: Running, input: Heard): Step {
  const { memory } = state;
  switch (input.kind) {
    case "silence":
      return ask({ ...memory, denied: true, unanswered: 0 });
    case "nak":
      return deny(memory);
    default:
      return afterCommand(state, input);
  }
}

function awaiting(state: Running, input: Heard): Step {
  // Everything before the first byte of the answer, 02, is skipped (shtrih-protocol 1.7, case 3).
  return input.kind === "ack" ? stay(state) : afterCommand(state, input);
}

function asking(state: Running, input: Heard): Step {
  return input.kind === "nak" ? notTaken(replied(state.memory)) : afterCommand(state, input);
}

/** Handles an input after the command was sent. The answer may come in every state in which the device may have the command. */
function afterCommand(state: Running, input: Heard): Step {
  const { memory } = state;
  switch (input.kind) {
    case "ack":
      return awaitAnswer(memory);
    case "frame":
      return answer(memory, input.data);
    case "damaged":
      return repeatAnswer(memory);
    case "silence":
      return ask(memory);
    default:
      return stay(state);
  }
}

function deny(memory: Memory): Step {
  return listen("denied", memory, memory.turn.timing.settleMs * DENIED_SETTLES);
}

/** Handles the NAK of a device that is idle and has no answer. The device has not accepted the frame, or has lost its answer. */
function notTaken(memory: Memory): Step {
  const { turn, denied, deliveries } = memory;
  const again = { ...memory, doubt: !denied, denied: false };
  if ((denied || turn.repeat === "safe") && deliveries < MAX_DELIVERIES) return deliver(again);
  return denied
    ? giveUp(again, "касса не принимает команду: ошибка связи")
    : giveUp(again, "касса приняла команду или нет — неизвестно: ответа у неё нет");
}

/** Reopens a lost link. Then an ENQ is sent, as in the state greeting or asking, depending on how far the command had come. */
function lost(state: Running, { reason, unsent }: { reason: string; unsent: boolean }): Step {
  const { memory } = state;
  const frameStayed = state.name === "delivering" && unsent && memory.deliveries === 1;
  // A device that lost power with the link has lost its answer too, so its NAK proves nothing.
  const known = frameStayed ? { ...memory, doubt: false, deliveries: 0 } : { ...memory, denied: false };
  return mayOpenAgain(known) ? connect(known) : giveUp(known, reason);
}

function connect(memory: Memory): Step {
  return openLink(memory, { hasLeft: memory.doubt });
}

function greet(memory: Memory, before: readonly Effect[] = []): Step {
  const { turn, greetings, unanswered } = memory;
  if (greetings >= turn.greetings) return end(memory, silent(memory.deliveries > 0), before);
  return {
    state: { name: "greeting", memory: { ...memory, greetings: greetings + 1, unanswered: unanswered + 1 } },
    effects: [...before, send(ENQ)],
    waitMs: turn.timing.acknowledgeMs,
  };
}

function settle(memory: Memory, before: readonly Effect[] = []): Step {
  return listen("settling", memory, memory.turn.timing.settleMs, before);
}

/** Waits for silence. Tokens that come meanwhile are counted, so the wait is bounded. */
function listen(name: "settling" | "denied", memory: Memory, waitMs: number, before: readonly Effect[] = []): Step {
  return { state: { name, memory }, effects: before, waitMs };
}

function deliver(memory: Memory): Step {
  const { turn, deliveries } = memory;
  return {
    state: { name: "delivering", memory: { ...memory, doubt: true, deliveries: deliveries + 1 } },
    effects: [{ kind: "send", bytes: turn.frame }],
    waitMs: turn.timing.acknowledgeMs,
  };
}

/** Waits for the answer. A device reads bytes in order, so a device that has accepted the command has answered all earlier ENQs. */
function awaitAnswer(memory: Memory): Step {
  return { state: { name: "awaiting", memory: { ...memory, unanswered: 0, denied: false } }, effects: [], waitMs: memory.turn.allowedMs };
}

function ask(memory: Memory, before: readonly Effect[] = []): Step {
  const { turn, questions, unanswered } = memory;
  if (questions >= askingLimit(turn.timing)) return end(memory, { kind: "unknown", reason: WHY.silentAfterCommand }, before);
  return {
    state: { name: "asking", memory: { ...memory, questions: questions + 1, unanswered: unanswered + 1 } },
    effects: [...before, send(ENQ)],
    waitMs: turn.timing.acknowledgeMs,
  };
}

/**
 * Handles a whole answer. The answer to this command ends the exchange. An answer to an earlier command is stored, and the device is asked
 * again.
 */
function answer(memory: Memory, data: Buffer): Step {
  if (answers(memory.turn.code, data)) return end({ ...memory, unanswered: 0 }, { kind: "answered", data }, [send(ACK)]);
  return memory.repeats < MAX_REPEATS
    ? ask(withStale({ ...memory, repeats: memory.repeats + 1 }, data), [send(ACK)])
    : giveUp(withStale(memory, data), "касса отвечает на другую команду");
}

function repeatAnswer(memory: Memory): Step {
  return memory.repeats < MAX_REPEATS
    ? ask({ ...memory, repeats: memory.repeats + 1 }, [send(NAK)])
    : giveUp(memory, "ответ кассы искажён");
}

function giveUp(memory: Memory, reason: string, effects: readonly Effect[] = []): Step {
  const result: ExchangedKind = memory.doubt
    ? { kind: "unknown", reason }
    : { kind: "undelivered", reason, bytesLeft: memory.deliveries > 0 };
  return end(memory, result, effects);
}

/** Counts the device's reaction to one ENQ. */
function replied(memory: Memory): Memory {
  return { ...memory, unanswered: Math.max(0, memory.unanswered - 1) };
}

function send(byte: number): Effect {
  return { kind: "send", bytes: Uint8Array.of(byte) };
}

/** Whether the byte is FF, which RNDIS and USB devices add after an acknowledgement (shtrih-protocol 1.3). */
function isFiller({ byte }: { byte: number }): boolean {
  return byte === 0xff;
}
