import { numberAfter } from "../../wire/frame-numbered.ts";

/*
 * The device's side of protocol 2.0 (shtrih-protocol 2.2). Pure: a state and an input give the next state and the effects.
 * There is one count of commands for all hosts, because it belongs to the device (shtrih-protocol 3.1).
 *
 *   idle       A frame with the next number is carried out. A frame with any other number, and a question, get the stored
 *              answer under the number of the answered command. Before the first command the stored answer is a
 *              frame of type II, which has no DATA. A frame of type II from a host is ignored.
 *   executing  A command is being carried out. Requests that come meanwhile wait for its end, as in a port's buffer.
 *
 * A power cut deletes the stored answer and the count. The next command then has number 1.
 */

/** The last command's number and answer. */
export interface Kept {
  number: number;
  /** DATA; empty before the first command. */
  answer: Buffer;
}

export type Request<Asker> = { asker: Asker } & ({ kind: "question" } | { kind: "message"; number: number; data: Buffer });

export type NumberedTurnState<Asker> =
  | { name: "idle"; kept: Kept }
  | { name: "executing"; kept: Kept; number: number; asker: Asker; waiting: readonly Request<Asker>[] };

export type NumberedTurnInput<Asker> =
  | Request<Asker>
  /** The command was carried out. `data`: DATA of its answer. */
  | { kind: "answer"; data: Buffer }
  /** The command counts as not received. */
  | { kind: "unheard" };

export type NumberedTurnEffect<Asker> =
  | { kind: "execute"; data: Buffer }
  /** The new command's answer. `before`: the previously stored answer. */
  | { kind: "send-answer"; asker: Asker; kept: Kept; before: Kept }
  | { kind: "send-kept"; asker: Asker; kept: Kept };

interface NumberedTurnStep<Asker> {
  state: NumberedTurnState<Asker>;
  effects: NumberedTurnEffect<Asker>[];
}

/** The limit of requests that wait during a command. Further requests are lost, as in a full port buffer. */
const MAX_WAITING = 64;

/** Returns the state after power-on. */
export function nothingDone<Asker>(): NumberedTurnState<Asker> {
  return { name: "idle", kept: { number: 0, answer: Buffer.alloc(0) } };
}

export function transition<Asker>(state: NumberedTurnState<Asker>, input: NumberedTurnInput<Asker>): NumberedTurnStep<Asker> {
  if (state.name === "executing") return whileExecuting(state, input);
  if (input.kind === "answer" || input.kind === "unheard") return { state, effects: [] };
  return whileIdle(state, input);
}

function whileIdle<Asker>(state: NumberedTurnState<Asker> & { name: "idle" }, request: Request<Asker>): NumberedTurnStep<Asker> {
  const { kept } = state;
  const { asker } = request;
  // A message without DATA (type II) is an answer, so a message of this type from a host is ignored.
  if (request.kind === "message" && request.data.length === 0) return { state, effects: [] };
  if (request.kind === "message" && request.number === numberAfter(kept.number)) {
    return {
      state: { name: "executing", kept, number: request.number, asker, waiting: [] },
      effects: [{ kind: "execute", data: request.data }],
    };
  }
  return { state, effects: [{ kind: "send-kept", asker, kept }] };
}

function whileExecuting<Asker>(
  state: NumberedTurnState<Asker> & { name: "executing" },
  input: NumberedTurnInput<Asker>,
): NumberedTurnStep<Asker> {
  switch (input.kind) {
    case "answer": {
      const { kept: before, number, asker } = state;
      const kept = { number, answer: input.data };
      const next = afterwards({ name: "idle", kept }, state.waiting);
      return { state: next.state, effects: [{ kind: "send-answer", asker, kept, before }, ...next.effects] };
    }
    case "unheard":
      return afterwards({ name: "idle", kept: state.kept }, state.waiting);
    default:
      return { state: { ...state, waiting: [...state.waiting, input].slice(0, MAX_WAITING) }, effects: [] };
  }
}

/** Handles the waiting requests in their order. */
function afterwards<Asker>(state: NumberedTurnState<Asker>, waiting: readonly Request<Asker>[]): NumberedTurnStep<Asker> {
  const effects: NumberedTurnEffect<Asker>[] = [];
  let now = state;
  for (const request of waiting) {
    const step = transition(now, request);
    now = step.state;
    effects.push(...step.effects);
  }
  return { state: now, effects };
}
