import type { Shape } from "./layout.ts";

export interface CommandRow<Q extends Shape = Shape, A extends Shape = Shape> {
  /** One byte, or FF and a second byte. */
  code: readonly number[];
  title: string;
  /** The fields after the code. */
  request: Q;
  /** The fields after the error byte of an answer without error. */
  answer: A;
  /** How long the answer may take after the device has accepted the command, ms (shtrih-protocol 3.3). */
  allowedMs: number;
  /**
   * Whether the command may be repeated after an unknown outcome (shtrih-protocol 12.3). A `never` command may change something each time.
   */
  repeat: "safe" | "never";
  /**
   * Whether the command makes a document. Once its first byte has been sent, only the device's answer or a look-up shows the outcome.
   */
  registers: boolean;
  /** The chapter of shtrih-protocol. */
  clause: string;
}

interface RowOptions {
  allowedMs: number;
  clause: string;
  repeat?: "safe" | "never";
  registers?: boolean;
}

export function row<Q extends Shape, A extends Shape>(
  code: number,
  title: string,
  request: Q,
  answer: A,
  { allowedMs, clause, repeat = "never", registers = false }: RowOptions,
): CommandRow<Q, A> {
  return { code: code > 0xff ? [code >> 8, code & 0xff] : [code], title, request, answer, allowedMs, repeat, registers, clause };
}
