import type { Stored } from "../../values/stored.ts";
import type { Operator } from "./conditions.ts";

interface OperandBase {
  /** The normalized name. Conditions with the same name are tested together. */
  readonly name: string;
  readonly operators: ReadonlySet<Operator>;
  /** Whether an empty constant means a missing value. */
  readonly empties: boolean;
  /** Whether a second condition is refused with 1030. */
  readonly single: boolean;
  /** `true`: `read` depends only on the object, so its result may be cached. `false`: `read` also uses other objects. */
  readonly kept: boolean;
}

/** Compares one text of an object. `readConstant` throws a `Refusal` for an invalid constant. */
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

/**
 * Compares a number or a moment (ms since the epoch). With `step`, the constant means every value in its step: a moment without
 * milliseconds means the whole second. Without `step`, the constant is exact.
 */
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

/** What a condition compares: a field, an additional field, or a derived value. */
export type Operand = TextOperand | TextsOperand | NumberOperand | BooleanOperand;

/** The operators of the classes E, C and T in json-api 12 and 13. */
export const EQUALITY: ReadonlySet<Operator> = new Set(["=", "!="]);
export const ORDER: ReadonlySet<Operator> = new Set([...EQUALITY, "<", ">", "<=", ">="] as const);
export const TEXT: ReadonlySet<Operator> = new Set([...EQUALITY, "~", "~=", "=~"] as const);
