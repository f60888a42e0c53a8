import type { Shape } from "./layout.ts";

/** One command of the protocol: its request, its answer, its time limit, and its clause. */
export interface CommandRow<Q extends Shape = Shape, A extends Shape = Shape> {
  /** One byte, or FF and a second one. */
  code: readonly number[];
  /** Name of the command for the log. */
  title: string;
  /** The fields after the code. */
  request: Q;
  /** The fields after the error byte of an answer without error. */
  answer: A;
  /** Longest wait for the answer once the device has taken the command (reference 3.3), ms. */
  allowedMs: number;
  /**
   * Whether the command may be sent again while it is unknown whether the device has carried it out (reference 12.3). A command
   * that is `never` repeated changes something each time.
   */
  repeat: "safe" | "never";
  /** Whether the command makes a document. From its first byte on the outcome is done or in doubt. */
  registers: boolean;
  /** Chapter of the protocol reference. */
  clause: string;
}

interface RowOptions {
  allowedMs: number;
  clause: string;
  repeat?: "safe" | "never";
  registers?: boolean;
}

/** Makes a row. The command is `never` repeated unless the options say otherwise. */
export function row<Q extends Shape, A extends Shape>(
  code: number,
  title: string,
  request: Q,
  answer: A,
  { allowedMs, clause, repeat = "never", registers = false }: RowOptions,
): CommandRow<Q, A> {
  return { code: code > 0xff ? [code >> 8, code & 0xff] : [code], title, request, answer, allowedMs, repeat, registers, clause };
}
