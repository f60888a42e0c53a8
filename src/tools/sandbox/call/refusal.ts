import type { JsonObject } from "../values/json.ts";
import { errorText } from "./errors.ts";

/** One step into a body: a member's name, or an element's index from 0. An index can also mean the member of an object at this position. */
export type Step = string | number;

/** A detail of an error text: one text for both languages, or one for each. */
type Detail = string | { readonly ru: string; readonly en: string };

/** One element of `errors` (json-api 10.1). Its code determines the status and the text. */
export interface ApiError {
  readonly code: number;
  /** The wrong field or query parameter. */
  readonly parameter?: string;
  /** Details for the placeholders `{0}`, `{1}` and so on. */
  readonly details?: readonly Detail[];
  /** The objects that prevent a deletion. */
  readonly dependencies?: readonly JsonObject[];
  /** The path from the body's root to the wrong value. If the body lacks a part of the path, the deepest existing value counts. */
  readonly path?: readonly Step[];
  /** The place in a text that is not JSON, counted from 1. Other errors use `path`. */
  readonly line?: number;
  readonly column?: number;
}

/** Refuses a request. Its errors become the answer, or the answer for one element of a mass request. */
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

  /** Returns the same errors, with these steps in front of their paths. */
  below(...steps: readonly Step[]): Refusal {
    return new Refusal(...this.errors.map((error) => ({ ...error, path: [...steps, ...(error.path ?? [])] })));
  }

  /** Returns the same errors, with paths changed by `way`. Errors without a path stay unchanged. */
  moved(way: (path: readonly Step[]) => readonly Step[]): Refusal {
    return new Refusal(...this.errors.map((error) => (error.path === undefined ? error : { ...error, path: way(error.path) })));
  }
}

/** Returns a refusal with one error. `parameter` is the wrong field or query parameter, and also the first detail. */
export function refused(code: number, parameter?: string, ...details: readonly string[]): Refusal {
  return parameter === undefined ? new Refusal({ code, details }) : new Refusal({ code, parameter, details: [parameter, ...details] });
}

/** Runs work on a part of the body, and adds the step to the path of its `Refusal`. */
export function within<T>(step: Step, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Refusal ? error.below(step) : error;
  }
}

/** Runs work on every array element, and adds the element's index to the path of its `Refusal`. */
export function withinEach<T, R>(elements: readonly T[], work: (element: T, index: number) => R): R[] {
  return elements.map((element, index) => within(index, () => work(element, index)));
}
