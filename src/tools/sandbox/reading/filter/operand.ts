import type { Stored } from "../../values/stored.ts";
import type { Operator } from "./conditions.ts";

/** The properties of every operand. */
interface OperandBase {
  /** The operand's name in one fixed spelling. All conditions with this name are tested together. */
  readonly name: string;
  readonly operators: ReadonlySet<Operator>;
  /** Whether an empty constant means a missing value. Otherwise an empty constant is an ordinary value. */
  readonly empties: boolean;
  /** Whether only one condition is allowed. A second condition is refused with 1030. */
  readonly single: boolean;
  /**
   * `true`: `read` depends on the object alone, so its result may be kept in a column. `false`: `read` uses other objects
   * too, so it is called each time.
   */
  readonly kept: boolean;
}

/** Compares one text of an object. `readConstant` throws a `Refusal` for a constant of the wrong form. */
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

/** Compares a number or a moment. A constant covers a whole step: moments are often written to the second only. */
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

/** The values that a condition compares: a field, an additional field, or a value that follows from them. */
export type Operand = TextOperand | TextsOperand | NumberOperand | BooleanOperand;

/** The operators of the classes E, C and T in the tables of json-api 12 and 13. */
export const EQUALITY: ReadonlySet<Operator> = new Set(["=", "!="]);
export const ORDER: ReadonlySet<Operator> = new Set([...EQUALITY, "<", ">", "<=", ">="] as const);
export const TEXT: ReadonlySet<Operator> = new Set([...EQUALITY, "~", "~=", "=~"] as const);
