import type { Deadline } from "../../kernel/deadline.ts";
import { NOT_PERMITTED } from "../not-permitted.ts";
import type { TunnelCall, TunnelConnection } from "../tunnel.ts";

interface ResultSchema<T> {
  safeParse(result: unknown): { success: true; data: T } | { success: false };
}

/**
 * `lost`: the agent may have carried out the call. `failed`: the call was not carried out, but an earlier call for the same attempt may
 * still run.
 */
export type Asked<T> = { kind: "answer"; value: T } | { kind: "failed"; code: string; reason: string } | { kind: "lost"; reason: string };

/** Makes a call that needs no `go`, and reads its answer. */
export async function ask<T>(
  connection: TunnelConnection,
  call: TunnelCall,
  schema: ResultSchema<T>,
  deadline: Deadline,
): Promise<Asked<T>> {
  return read(connection, await connection.call(call, deadline).answered, schema);
}

/** Reads the answer to a call. An invalid result ends the connection and counts as `lost`. */
export function read<T>(
  connection: TunnelConnection,
  answered: Awaited<ReturnType<TunnelConnection["call"]>["answered"]>,
  schema: ResultSchema<T>,
): Asked<T> {
  if (answered.kind !== "result") return answered;
  const parsed = schema.safeParse(answered.result);
  if (parsed.success) return { kind: "answer", value: parsed.data };
  connection.malformed("the result has an unknown shape");
  return { kind: "lost", reason: "агент ответил непонятно" };
}

/** Returns words for a cashier: why a call was not carried out. */
export function wordsOf({ code, reason }: { code: string; reason: string }): string {
  return WORDS[code] ?? `агент в магазине отказал: ${reason}`;
}

const WORDS: Record<string, string> = {
  "no-go": NOT_PERMITTED,
  void: "эта попытка печати отменена",
  "attempt-differs": "агент в магазине знает под этим номером попытки другой документ",
  fenced: "кассой управляет другой процесс сервера",
  "agent-too-old": "агент в магазине нужно обновить",
  "unknown-call": "агент в магазине нужно обновить",
  "unknown-register": "агент в магазине не знает такой кассы",
  busy: "касса занята другим запросом",
  "record-failed": "агент в магазине не может записать документ на свой диск",
  "too-long": "документ слишком длинный для агента в магазине",
  leaving: "агент в магазине завершает работу",
};
