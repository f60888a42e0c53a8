import type { Chance, Clock } from "../../kernel/clock.ts";
import type { TillContext } from "../sandbox/caller/bodies.ts";
import type { Installation, Solution } from "../sandbox/caller/installation.ts";
import type { VendorSide } from "../sandbox/caller/vendor-side.ts";
import type { KillPlan } from "./kill-plan.ts";
import type { Ledger } from "./ledger.ts";
import type { ReceiptFolder } from "./receipt-folder.ts";
import type { RegisterCare } from "./register-care.ts";
import type { Stage } from "./stage.ts";

/** Everybody and everything that a day is played with. */
export interface Cast {
  solution: Solution;
  installation: Installation;
  platform: VendorSide;
  stage: Stage;
  ledger: Ledger;
  receipts: ReceiptFolder;
  plan: KillPlan;
  clock: Clock;
  /** The wish that it ends: nothing is tried again then. */
  signal: AbortSignal;
  chance: Chance;
  till: TillContext;
  /** Of a register whose faults have to be lived with; absent: every answer has to be right at once. */
  care?: RegisterCare;
  note(text: string): void;
}
