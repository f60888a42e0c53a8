import type { JsonObject } from "../values/json.ts";
import { errorText } from "./errors.ts";

/** One step into a body: the name of a member, or the number of an array's element from 0. */
export type Step = string | number;

/** A detail of an error text. It is one text for both languages, or one text for each language. */
type Detail = string | { readonly ru: string; readonly en: string };

/** One element of `errors` (json-api 10.1) without its text. The code determines the status and the text. */
export interface ApiError {
  readonly code: number;
  /** The wrong field or query parameter. */
  readonly parameter?: string;
  /** The details for the places `{0}`, `{1}` and so on in the text. */
  readonly details?: readonly Detail[];
  /** Objects that prevent a deletion. */
  readonly dependencies?: readonly JsonObject[];
  /**
   * The path from the body's root to the wrong value. When the body does not have the whole path, the deepest existing value
   * counts.
   */
  readonly path?: readonly Step[];
  /** The place in a text that is no JSON, counted from 1. Other errors use `path`. */
  readonly line?: number;
  readonly column?: number;
}

/** Thrown when a request is refused. Its errors become the answer, or the answer of an element. */
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

  /** Returns the same errors, with the steps put before their paths. */
  below(...steps: readonly Step[]): Refusal {
    return new Refusal(...this.errors.map((error) => ({ ...error, path: [...steps, ...(error.path ?? [])] })));
  }

  /** Returns the same errors with changed paths. Errors without a path stay unchanged. */
  moved(way: (path: readonly Step[]) => readonly Step[]): Refusal {
    return new Refusal(...this.errors.map((error) => (error.path === undefined ? error : { ...error, path: way(error.path) })));
  }
}

/** Returns a refusal with one error about one field. The field's name is also the first detail. */
export function refused(code: number, parameter?: string, ...details: readonly string[]): Refusal {
  return parameter === undefined ? new Refusal({ code, details }) : new Refusal({ code, parameter, details: [parameter, ...details] });
}

/** Runs the work that reads a part of the body. A `Refusal` of the work gets the step in its path. */
export function within<T>(step: Step, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Refusal ? error.below(step) : error;
  }
}

/** Runs the work for every element of an array. A `Refusal` gets the element's number in its path. */
export function withinEach<T, R>(elements: readonly T[], work: (element: T, index: number) => R): R[] {
  return elements.map((element, index) => within(index, () => work(element, index)));
}
