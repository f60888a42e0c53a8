import type { Clock } from "../../kernel/clock.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { doneInSteps } from "../../kernel/work/in-steps.ts";
import type { PaymentReason } from "../../model/payment.ts";
import type { Clients } from "../../payments/clients.ts";
import type { UsedAcquirer } from "./acquirers-in-use.ts";

const READ_MS = 5_000;

export interface ExaminedAcquirer {
  /** Absent when the setting cannot be parsed. */
  acquirer?: string;
  /** The account at the acquirer, without secrets. */
  merchant?: string;
  places: UsedAcquirer["places"];
  result: AcquirerResult;
}

export type AcquirerResult =
  /** The acquirer answers and does not refuse the credentials. */
  | { kind: "answers" }
  /** The acquirer refuses the credentials, or its contract does not allow payments. */
  | { kind: "refuses-settings"; reason: PaymentReason }
  | { kind: "setting-invalid"; problem: string }
  | { kind: "unreachable"; problem: string };

interface ExaminingServices {
  clients: Pick<Clients, "of">;
  clock: Clock;
  /** Returns a bank id that belongs to no payment, for the acquirer with this name. Undefined: there is no such acquirer. */
  idOfNoPayment(acquirer: string): string | undefined;
}

/** How many acquirers are asked at once. Each point of sale may have its own credentials. */
const ACQUIRERS_AT_ONCE = 20;

/** Reads an impossible payment at each acquirer. The answer shows whether the credentials are right. No money moves. */
export function examineAcquirers(services: ExaminingServices, used: readonly UsedAcquirer[]): Promise<ExaminedAcquirer[]> {
  return doneInSteps(used, ACQUIRERS_AT_ONCE, (one) => examineOne(services, one));
}

async function examineOne(services: ExaminingServices, { setting, places }: UsedAcquirer): Promise<ExaminedAcquirer> {
  const open = services.clients.of(setting);
  if ("problem" in open) return { places, result: { kind: "setting-invalid", problem: open.problem } };
  const { acquirer, merchant } = open.account;
  const bankId = services.idOfNoPayment(acquirer);
  if (bankId === undefined) throw new Error(`acquirer ${acquirer} is in no catalogue`);
  const reading = await open.client.read(bankId, deadlineIn(services.clock, READ_MS));
  const shown = { acquirer, merchant, places };
  switch (reading.kind) {
    case "payment":
      return { ...shown, result: { kind: "answers" } };
    case "refused":
      return {
        ...shown,
        result: reading.reason.code === "settings" ? { kind: "refuses-settings", reason: reading.reason } : { kind: "answers" },
      };
    case "busy":
      return { ...shown, result: { kind: "unreachable", problem: "it takes no more calls at the moment" } };
    case "unknown":
      return { ...shown, result: { kind: "unreachable", problem: reading.problem } };
  }
}
