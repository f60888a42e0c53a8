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

export interface QrParts {
  key: QrKey;
  /** Undefined: the simulated acquirer, whose buyers pay by themselves. */
  bank: BankProcess | undefined;
}

/** `connection`: has the access key from the server. `server`: the server in which the programme is switched on. */
export interface LoyaltyParts {
  connection: LoyaltyConnection;
  server: ServerProcess;
}

export interface Cast {
  solution: Solution;
  installation: Installation;
  platform: VendorSide;
  stage: Stage;
  ledger: Ledger;
  receipts: ReceiptFolder;
  plan: KillPlan;
  clock: Clock;
  /** Aborted when the demo has to end. Nothing is repeated afterwards. */
  signal: AbortSignal;
  chance: Chance;
  till: TillContext;
  qr: QrParts;
  loyalty: LoyaltyParts;
  /** Mends a register with faults. Absent: the first answer to every request must be right. */
  care?: RegisterCare;
  installed(): Promise<void>;
  note(text: string): void;
}
