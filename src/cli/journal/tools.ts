import type { Journal } from "../../journal/journal.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Operations } from "../../operations/submit.ts";
import type { CorrectingOperations } from "./correct.ts";
import type { RegisterOf } from "./register-now.ts";

/** What the command works with; opened for one run. */
export interface JournalTools {
  journal: Journal;
  clock: Clock;
  registerOf: RegisterOf;
  close(): Promise<void>;
}

/** The same with registers, under the server's lock. */
export interface OperatorTools extends JournalTools {
  operations: CorrectingOperations;
}

/** A register that may be asked about what a person says. */
export interface RegisterTools {
  operations: Pick<Operations, "registerWord">;
  close(): Promise<void>;
}
