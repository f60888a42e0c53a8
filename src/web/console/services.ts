import type { IncomingMessage } from "node:http";
import type { Actor, AuditLine, AuditSearch } from "../../accounts/audit.ts";
import type { Installation, InstallationKey } from "../../accounts/installation.ts";
import type { Entry } from "../../journal/entry.ts";
import type { Exchange } from "../../journal/exchanges.ts";
import type { Journal } from "../../journal/journal.ts";
import type { EntrySearch } from "../../journal/search-queries.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Doubt } from "../../model/doubt.ts";
import type { Concern, Reserves } from "../../model/foresight.ts";
import type { Explanation } from "../../operator/explaining/explanation.ts";
import type { memberAnywhere } from "../../operator/loyalty/find-member.ts";
import type { grantPoints } from "../../operator/loyalty/grant-points.ts";
import type { memberList } from "../../operator/loyalty/list-members.ts";
import type { memberStory } from "../../operator/loyalty/member-story.ts";
import type { PaymentStory } from "../../operator/payments/payment-story.ts";
import type { refundPayment } from "../../operator/payments/refund-payment.ts";
import type { settlePayment } from "../../operator/payments/settle-payment.ts";
import type { SeenAnswers } from "../../operator/registers/register-desk.ts";
import type { Statement, settleByHand } from "../../operator/settling/settle-by-hand.ts";
import type { Payment } from "../../payments/payment.ts";
import type { AgentsPart } from "../agents/agents-part.ts";
import type { DrawnPaper } from "../receipt-view.ts";
import type { Place, PlaceNames } from "./places.ts";
import type { KnownBrowsers } from "./session/known-browsers.ts";
import type { ConsoleSessions } from "./session/session.ts";
import type { ConsoleUsers } from "./session/users.ts";

/** A register that this server has asked since its start, or that has an unfinished operation. */
export interface WatchedRegister {
  address: string;
  seen?: SeenAnswers;
  concerns: readonly Concern[];
  reserves: Reserves;
  busy: boolean;
  waiting: number;
  /** The oldest operation whose result is unknown. */
  doubt?: Entry;
  /** The point of sale whose operation it has made last. Absent: it has made none. */
  usedBy?: Place;
}

/** A sale of a programme that no register has made. */
export interface UnsoldPoints extends Required<Place> {
  documentId: string;
  atMs: number;
  spent: number;
  earned: number;
  memberId?: string;
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

/** A message that could not be sent. */
export interface UnsentMessage {
  kind: string;
  /** What it tells of. */
  title: { ru: string; en: string };
  /** `begins` or `ends`. */
  state: string;
  /** `operator`, or `owner` of a point of sale. */
  audience: string;
  sinceMs: number;
  attempts: number;
  problem: string;
}

type Rest<Call extends (desk: never, ...rest: never[]) => unknown> = Call extends (desk: never, ...rest: infer Parameters) => infer Result
  ? (...rest: Parameters) => Result
  : never;

/** The services of the console. */
export interface ConsoleServices {
  users: ConsoleUsers;
  /** The address of a caller, also behind a trusted proxy. Undefined: it is unknown. */
  callerOf(request: IncomingMessage): string | undefined;
  sessions: ConsoleSessions;
  browsers: KnownBrowsers;
  journal: Pick<Journal, "get" | "unfinished">;
  search(wanted: EntrySearch): Promise<Entry[]>;
  explain(entry: Entry): Promise<Explanation>;
  /** What was exchanged with the device, attempt by attempt. Nothing of an emulator or of an operation older than 30 days. */
  exchangesOf(entryId: number): Promise<Exchange[]>;
  settle(entry: Entry, statement: Statement, login: string): ReturnType<typeof settleByHand>;
  paperOf(entry: Entry): DrawnPaper;
  pdfOf(entry: Entry): Promise<Buffer>;
  registers(): Promise<WatchedRegister[]>;
  /** Reads the names of the accounts and points of sale of a page. */
  namesOf(places: readonly Place[]): Promise<PlaceNames>;
  installations(): Promise<Installation[]>;
  payments: {
    /** The newest first. */
    search(wanted: PaymentSearch): Promise<Payment[]>;
    story(id: string): Promise<PaymentStory>;
    /** Returns payments whose money came and for which no sale was seen in half an hour. */
    unsold(limit: number): Promise<Payment[]>;
    refund: Rest<typeof refundPayment>;
    settle: Rest<typeof settlePayment>;
  };
  members: {
    /** Whether the tills of an account use its programme. */
    isOn(key: InstallationKey): Promise<boolean>;
    list: Rest<typeof memberList>;
    /** Returns the member with this id of the server, of whichever account. */
    anywhere: Rest<typeof memberAnywhere>;
    story: Rest<typeof memberStory>;
    grant: Rest<typeof grantPoints>;
    personOf(row: Parameters<typeof memberStory>[2]): { name: string; phone?: string } | undefined;
    /** Erases everything that tells who the member is. False: that was done before. */
    erase(key: InstallationKey, memberId: string, actor: Actor, reason: string): Promise<boolean>;
  };
  /** Shop agents. Absent: this server has none. */
  agents?: AgentsPart;
  /** Sales that have moved points and were not registered within half an hour. */
  pointsWithoutSale(limit: number): Promise<UnsoldPoints[]>;
  /** Receipts that were paid by QR, while no payment belongs to them. */
  receiptsWithoutPayment(limit: number): Promise<Entry[]>;
  /** Messages about what needs a person that could not be sent, the oldest first. */
  unsentAlerts(limit: number): Promise<UnsentMessage[]>;
  /** Returns the words for a doubt, as the cashier reads them. */
  doubtWords(doubt: Doubt): string;
  audit(wanted: AuditSearch): Promise<AuditLine[]>;
  clock: Clock;
  /** The time zone of the console, unless a register has one of its own. */
  zone: string;
  publicUrl?: string;
}
