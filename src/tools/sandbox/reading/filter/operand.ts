import type { Stored } from "../../values/stored.ts";
import type { Operator } from "./conditions.ts";

/** What every operand says of itself. */
interface OperandBase {
  /** The one spelling of what was meant: conditions on it belong together. */
  readonly name: string;
  readonly operators: ReadonlySet<Operator>;
  /** Whether an empty constant asks for a missing value; otherwise it is a value like any other. */
  readonly empties: boolean;
  /** Takes one condition only; repeated it is 1030. */
  readonly single: boolean;
  /**
   * `true`: what `read` gives depends on the object alone, so that it may be kept in a column. What it takes from
   * other objects is read anew each time.
   */
  readonly kept: boolean;
}

/** One text of an object, or several. `readConstant` throws a `Refusal` for what the operand cannot be compared with. */
export interface TextOperand extends OperandBase {
  readonly is: "text";
  read(stored: Stored): string | undefined;
  readConstant(text: string): string;
}

export interface TextsOperand extends OperandBase {
  readonly is: "texts";
  read(stored: Stored): readonly string[];
  readConstant(text: string): string;
}

/** A number or a moment. A constant counts in whole steps: moments are often written to the second only. */
export interface NumberOperand extends OperandBase {
  readonly is: "number";
  read(stored: Stored): number | undefined;
  readConstant(text: string): { readonly value: number; readonly step: number | undefined };
}

export interface BooleanOperand extends OperandBase {
  readonly is: "boolean";
  read(stored: Stored): boolean;
  readConstant(text: string): boolean;
}

/** What a condition compares: a field, an additional field, or something that follows from them. */
export type Operand = TextOperand | TextsOperand | NumberOperand | BooleanOperand;

/** The classes of the tables in chapters 12 and 13: E, C, T. */
export const EQUALITY: ReadonlySet<Operator> = new Set(["=", "!="]);
export const ORDER: ReadonlySet<Operator> = new Set([...EQUALITY, "<", ">", "<=", ">="] as const);
export const TEXT: ReadonlySet<Operator> = new Set([...EQUALITY, "~", "~=", "=~"] as const);
