import type { AuditLine, AuditSearch } from "../../accounts/audit.ts";
import type { Installation } from "../../accounts/installation.ts";
import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { EntrySearch } from "../../journal/search-queries.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Doubt } from "../../model/doubt.ts";
import type { Concern } from "../../model/foresight.ts";
import type { Explanation } from "../../operator/explaining/explanation.ts";
import type { PaymentStory } from "../../operator/payments/payment-story.ts";
import type { SeenAnswers } from "../../operator/registers/register-desk.ts";
import type { Statement, settleByHand } from "../../operator/settling/settle-by-hand.ts";
import type { Payment } from "../../payments/payment.ts";
import type { DrawnPaper } from "../receipt-view.ts";
import type { ConsoleSessions } from "./session.ts";
import type { ConsoleUsers } from "./users.ts";

/** A register that this server has asked since its start, or that has an unfinished operation. */
export interface WatchedRegister {
  address: string;
  seen?: SeenAnswers;
  concerns: readonly Concern[];
  busy: boolean;
  waiting: number;
  /** The oldest operation whose result is unknown. */
  doubt?: Entry;
}

/** The payments that a page shows. */
export interface PaymentSearch {
  /** This server's id, the id of the till's operation, or the bank's id. */
  id?: string;
  accountId?: string;
  storeId?: string;
  state?: string;
  fromMs?: number;
  toMs?: number;
  after?: { createdAtMs: number; id: string };
  limit: number;
}

/** The services of the console. */
export interface ConsoleServices {
  users: ConsoleUsers;
  sessions: ConsoleSessions;
  journal: Pick<Journal, "get" | "unfinished">;
  search(wanted: EntrySearch): Promise<Entry[]>;
  explain(entry: Entry): Promise<Explanation>;
  settle(entry: Entry, statement: Statement, login: string): ReturnType<typeof settleByHand>;
  paperOf(entry: Entry): DrawnPaper;
  pdfOf(entry: Entry): Promise<Buffer>;
  registers(): Promise<WatchedRegister[]>;
  installations(): Promise<Installation[]>;
  payments: {
    /** The newest first. */
    search(wanted: PaymentSearch): Promise<Payment[]>;
    story(id: string): Promise<PaymentStory>;
    /** Returns payments whose money came and for which no sale was seen in half an hour. */
    unsold(limit: number): Promise<Payment[]>;
  };
  /** Returns the words for a doubt, as the cashier reads them. */
  doubtWords(doubt: Doubt): string;
  audit(wanted: AuditSearch): Promise<AuditLine[]>;
  clock: Clock;
  /** The time zone of the console, unless a register has one of its own. */
  zone: string;
  publicUrl?: string;
}
