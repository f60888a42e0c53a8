import type { Chance, Clock } from "../../kernel/clock.ts";
import type { TillContext } from "../sandbox/caller/bodies.ts";
import type { Installation, Solution } from "../sandbox/caller/installation.ts";
import type { VendorSide } from "../sandbox/caller/vendor-side.ts";
import type { KillPlan } from "./kill-plan.ts";
import type { Ledger } from "./ledger.ts";
import type { QrParts } from "./qr/till.ts";
import type { ReceiptFolder } from "./receipt-folder.ts";
import type { RegisterCare } from "./register-care.ts";
import type { Stage } from "./stage.ts";

/** The participants of a day. */
export interface Cast {
  solution: Solution;
  installation: Installation;
  platform: VendorSide;
  stage: Stage;
  ledger: Ledger;
  receipts: ReceiptFolder;
  plan: KillPlan;
  clock: Clock;
  /** Aborted when the demo is to end: nothing is tried again then. */
  signal: AbortSignal;
  chance: Chance;
  till: TillContext;
  qr: QrParts;
  /** For a register with faults. Absent: every answer must be right at once. */
  care?: RegisterCare;
  note(text: string): void;
}
