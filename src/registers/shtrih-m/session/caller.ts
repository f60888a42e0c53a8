import type { Deadline } from "../../../kernel/deadline.ts";
import { present } from "../../../kernel/present.ts";
import { type AnswerOf, type CommandName, commandOf, decodeAnswer, encodeRequest, type RequestOf } from "../commands/commands.ts";
import type { Exchanger } from "../wire/exchange.ts";

export type Called<N extends CommandName> = { stale: readonly Buffer[] } & (
  | { kind: "ok"; values: AnswerOf<N>; tail: Buffer }
  /** The device refused the command. `error`: a number of shtrih-protocol 8. `extended`: a longer number that some devices add. */
  | { kind: "error"; error: number; extended?: number }
  /** The device has certainly not carried out the command. */
  | { kind: "undelivered"; reason: string; bytesLeft: boolean }
  /** The device may have carried out the command. */
  | { kind: "unknown"; reason: string }
);

export interface CallOptions {
  deadline: Deadline;
  /** Overrides the command's time limit, ms. */
  allowedMs?: number;
  /** How long a device without any reaction counts as busy, ms. */
  reactionMs?: number;
}

/** Sends one command of the table and reads its answer. Throws RangeError when a value does not fit its field. */
export async function call<N extends CommandName>(
  exchanger: Exchanger,
  name: N,
  values: RequestOf<N>,
  { deadline, allowedMs, reactionMs }: CallOptions,
): Promise<Called<N>> {
  const command = commandOf(name);
  const exchanged = await exchanger.exchange(
    {
      data: encodeRequest(name, values),
      code: command.code,
      allowedMs: allowedMs ?? command.allowedMs,
      repeat: command.repeat,
      ...present({ reactionMs }),
    },
    deadline,
  );
  if (exchanged.kind !== "answered") return exchanged;
  const { stale } = exchanged;
  const answer = decodeAnswer(name, exchanged.data);
  switch (answer.kind) {
    case "ok":
      return { ...answer, stale };
    case "error":
      return { kind: "error", error: answer.error, ...extendedOf(answer.tail), stale };
    case "short":
    case "foreign":
      return { kind: "unknown", reason: `ответ кассы не разобран: ${exchanged.data.toString("hex")}`, stale };
  }
}

const EXTENDED_BYTES = 4;

/** Returns the extended error: four bytes after the error in newer firmware (shtrih-protocol 4.2). */
function extendedOf(tail: Buffer): { extended?: number } {
  return tail.length >= EXTENDED_BYTES ? { extended: tail.readUInt32LE(0) } : {};
}
