import type { NoteAct } from "../../accounts/audit.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { RegisterChoice } from "../../operations/plan.ts";
import type { Operations } from "../../operations/submit.ts";
import type { RegisterQuestions } from "../../operator/register-questions.ts";

export interface JournalTools {
  journal: Journal;
  clock: Clock;
  /** Finds the register and the other settings of a point of sale. */
  choice: RegisterChoice;
  close(): Promise<void>;
}

/** The journal and the registers. While they are open, this process holds the server's lock. */
export interface OperatorTools extends JournalTools {
  operations: Pick<Operations, "submit">;
  noteAct: NoteAct;
  questions: Pick<RegisterQuestions, "rehearse" | "searchDrive" | "registerTime">;
}

/** The registers, for the check of a person's claim. */
export interface RegisterTools {
  questions: Pick<RegisterQuestions, "checkClaim">;
  close(): Promise<void>;
}
