import type { JsonObject } from "../values/json.ts";
import { errorText } from "./errors.ts";

/** One step into a body: the name of a member, or the number of an array's element from 0. */
export type Step = string | number;

/** Words that stand in a text: the same in both languages, or of each its own. */
type Detail = string | { readonly ru: string; readonly en: string };

/** One element of `errors` (10.1) before it has words: the code decides status and text. */
export interface ApiError {
  readonly code: number;
  /** The field or query parameter at fault. */
  readonly parameter?: string;
  /** What stands in the text's places, in order. */
  readonly details?: readonly Detail[];
  /** Objects that stand in the way of a deletion. */
  readonly dependencies?: readonly JsonObject[];
  /** The way to it from the outermost value of the body; what is missing there is looked for as far as there is a way. */
  readonly path?: readonly Step[];
  /** Where it stands in a text that is no JSON, both counted from 1; else the path leads there. */
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

  /** The same about something that lies these steps further in. */
  below(...steps: readonly Step[]): Refusal {
    return new Refusal(...this.errors.map((error) => ({ ...error, path: [...steps, ...(error.path ?? [])] })));
  }

  /** The same, whose ways lead through another body; errors without a way stay so. */
  moved(way: (path: readonly Step[]) => readonly Step[]): Refusal {
    return new Refusal(...this.errors.map((error) => (error.path === undefined ? error : { ...error, path: way(error.path) })));
  }
}

/** For the usual case of one error about one field: the field's name is the first detail too. */
export function refused(code: number, parameter?: string, ...details: readonly string[]): Refusal {
  return parameter === undefined ? new Refusal({ code, details }) : new Refusal({ code, parameter, details: [parameter, ...details] });
}

/** Does what reads the part of a body behind the step: a `Refusal` of it knows the way there. */
export function within<T>(step: Step, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Refusal ? error.below(step) : error;
  }
}

/** The same for every element of an array, each by its number. */
export function withinEach<T, R>(elements: readonly T[], work: (element: T, index: number) => R): R[] {
  return elements.map((element, index) => within(index, () => work(element, index)));
}
