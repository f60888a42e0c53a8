import type { Chance, Clock } from "../../kernel/clock.ts";
import type { TillContext } from "../sandbox/caller/bodies.ts";
import type { Installation, Solution } from "../sandbox/caller/installation.ts";
import type { QrKey } from "../sandbox/caller/qr-key.ts";
import type { VendorSide } from "../sandbox/caller/vendor-side.ts";
import type { BankProcess } from "./bank-process.ts";
import type { KillPlan } from "./kill-plan.ts";
import type { Ledger } from "./ledger.ts";
import type { LoyaltyConnection } from "./loyalty-connection.ts";
import type { ReceiptFolder } from "./receipt-folder.ts";
import type { RegisterCare } from "./register-care.ts";
import type { ServerProcess } from "./server-process.ts";
import type { Stage } from "./stage.ts";

/** What the till's QR calls need: who signs their tokens, and who pays. */
export interface QrParts {
  key: QrKey;
  /** Absent: the simulated acquirer, whose buyers pay by themselves. */
  bank: BankProcess | undefined;
}

/** What the till's loyalty calls need: the key that the platform was told, and the server beside which settings are made. */
export interface LoyaltyParts {
  connection: LoyaltyConnection;
  server: ServerProcess;
}

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
  loyalty: LoyaltyParts;
  /** For a register with faults. Absent: every answer must be right at once. */
  care?: RegisterCare;
  note(text: string): void;
}
