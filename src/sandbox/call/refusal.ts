import type { JsonObject } from "../reading/render.ts";
import { errorText } from "./errors.ts";

/** One element of `errors` (10.1) before it has words: the code decides status and text. */
export interface ApiError {
  readonly code: number;
  /** The field or query parameter at fault. */
  readonly parameter?: string;
  /** What stands in the text's places, in order. */
  readonly details?: readonly string[];
  /** Objects that stand in the way of a deletion. */
  readonly dependencies?: readonly JsonObject[];
  /** Where it stands in the body, both counted from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** Thrown by whatever reads or carries out a request; the element or the whole answer says why. */
export class Refusal extends Error {
  readonly errors: readonly ApiError[];

  constructor(...errors: readonly ApiError[]) {
    super(errors.map(({ code, parameter }) => `${code}${parameter === undefined ? "" : ` ${parameter}`}`).join(", "));
    this.name = "Refusal";
    this.errors = errors;
  }

  /** HTTP status of the first error. */
  get status(): number {
    const [first] = this.errors;
    return first === undefined ? 500 : errorText(first.code).status;
  }
}

/** For the usual case of one error about one field: the field's name is the first detail too. */
export function refused(code: number, parameter?: string, ...details: readonly string[]): Refusal {
  return parameter === undefined ? new Refusal({ code, details }) : new Refusal({ code, parameter, details: [parameter, ...details] });
}
