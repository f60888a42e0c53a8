import type { Chance, Clock } from "../../kernel/clock.ts";
import type { TillContext } from "../sandbox/caller/bodies.ts";
import type { Installation, Solution } from "../sandbox/caller/installation.ts";
import type { QrKey } from "../sandbox/caller/qr-key.ts";
import type { VendorSide } from "../sandbox/caller/vendor-side.ts";
import type { KillPlan } from "./kill-plan.ts";
import type { Ledger } from "./ledger.ts";
import type { LoyaltyConnection } from "./loyalty-connection.ts";
import type { BankProcess } from "./processes/bank-process.ts";
import type { ServerProcess } from "./processes/server-process.ts";
import type { ReceiptFolder } from "./receipt-folder.ts";
import type { RegisterCare } from "./register-care.ts";
import type { Stage } from "./stage.ts";

/** What the till's QR calls need: the key that signs their tokens, and the bank whose buyers pay. */
export interface QrParts {
  key: QrKey;
  /** Undefined: the acquirer is the simulated one, whose buyers pay by themselves. */
  bank: BankProcess | undefined;
}

/** What the till's loyalty calls need: the access key that the server has sent, and the server whose settings are changed. */
export interface LoyaltyParts {
  connection: LoyaltyConnection;
  server: ServerProcess;
}

/** Everything that takes part in a day of the demo. */
export interface Cast {
  solution: Solution;
  installation: Installation;
  platform: VendorSide;
  stage: Stage;
  ledger: Ledger;
  receipts: ReceiptFolder;
  plan: KillPlan;
  clock: Clock;
  /** Aborted when the demo has to end. Nothing is repeated after that. */
  signal: AbortSignal;
  chance: Chance;
  till: TillContext;
  qr: QrParts;
  loyalty: LoyaltyParts;
  /** Looks after a register with faults. Absent: every answer must be right at once. */
  care?: RegisterCare;
  /** Called when the account has installed the solution. */
  installed(): Promise<void>;
  note(text: string): void;
}
