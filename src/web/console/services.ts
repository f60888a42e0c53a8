import type { IncomingMessage } from "node:http";
import type { Actor, AuditLine, AuditSearch, NoteAct } from "../../accounts/audit.ts";
import type { Installation, InstallationKey, ListedInstallations } from "../../accounts/installation.ts";
import type { Entry } from "../../journal/entry.ts";
import type { Exchange } from "../../journal/exchanges.ts";
import type { Journal } from "../../journal/journal.ts";
import type { EntryHead } from "../../journal/reading/head.ts";
import type { Listed } from "../../journal/reading/unreadable.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Concern, Reserves } from "../../model/concerns.ts";
import type { Doubt } from "../../model/doubt.ts";
import type { Explanation } from "../../operator/explaining/explanation.ts";
import type { memberAnywhere } from "../../operator/loyalty/find-member.ts";
import type { grantPoints } from "../../operator/loyalty/grant-points.ts";
import type { memberList } from "../../operator/loyalty/list-members.ts";
import type { memberStory } from "../../operator/loyalty/member-story.ts";
import type { PaymentStory } from "../../operator/payments/payment-story.ts";
import type { refundPayment } from "../../operator/payments/refund-payment.ts";
import type { settlePayment } from "../../operator/payments/settle-payment.ts";
import type { DocumentPlace, leaveOutDocument } from "../../operator/registers/leave-out-document.ts";
import type { SeenAnswers } from "../../operator/registers/register-desk.ts";
import type { Statement, settleByHand } from "../../operator/settling/settle-by-hand.ts";
import type { ListedPayment } from "../../payments/listed-payment.ts";
import type { AgentsPart } from "../agents/agents-part.ts";
import type { DrawnPaper } from "../receipt-view.ts";
import type { Place, PlaceNames } from "./places.ts";
import type { KnownBrowsers } from "./session/known-browsers.ts";
import type { ConsoleSessions } from "./session/session.ts";
import type { ConsoleUsers } from "./session/users.ts";

/** A register that this server has queried since its start, or that has an operation in doubt. */
export interface WatchedRegister {
  address: string;
  seen?: SeenAnswers;
  concerns: readonly Concern[];
  reserves: Reserves;
  busy: boolean;
  waiting: number;
  doubt?: EntryHead;
  /** The documents of the drive that the register has not returned. */
  unread: readonly number[];
  /** The point of sale of the register's last operation. Absent: no operation yet. */
  usedBy?: Place;
}

/** A sale with loyalty points that no register has printed. */
export interface UnsoldPoints extends Required<Place> {
  documentId: string;
  atMs: number;
  spent: number;
  earned: number;
  memberId?: string;
}

export interface PaymentSearch {
  /** An id of the payment: this server's id, the till's operation id, or the bank's id. */
  id?: string;
  accountId?: string;
  storeId?: string;
  state?: string;
  fromMs?: number;
  toMs?: number;
  after?: { createdAtMs: number; id: string };
  limit: number;
}

export interface UnsentMessage {
  kind: string;
  /** The subject of the message. */
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

export interface ConsoleServices {
  users: ConsoleUsers;
  /** Returns a caller's address, also behind a trusted proxy. Undefined: unknown. */
  callerOf(request: IncomingMessage): string | undefined;
  sessions: ConsoleSessions;
  browsers: KnownBrowsers;
  journal: Pick<Journal, "get" | "heads">;
  explain(entry: Entry): Promise<Explanation>;
  /**
   * Returns the exchange with the device, attempt by attempt. Empty for an emulator and for operations older than 30 days. An attempt may
   * be missing, because some exchanges are lost before they are stored.
   */
  exchangesOf(entryId: number): Promise<Exchange[]>;
  settle(entry: Entry, statement: Statement, login: string): ReturnType<typeof settleByHand>;
  paperOf(entry: Entry): DrawnPaper;
  pdfOf(entry: Entry): Promise<Buffer>;
  registers(): Promise<WatchedRegister[]>;
  leaveOut(place: DocumentPlace, reason: string, login: string): ReturnType<typeof leaveOutDocument>;
  namesOf(places: readonly Place[]): Promise<PlaceNames>;
  /** Without the installations that cannot be read. */
  installations(): Promise<Installation[]>;
  listedInstallations(): Promise<ListedInstallations>;
  payments: {
    /** The newest first. */
    search(wanted: PaymentSearch): Promise<ListedPayment[]>;
    story(id: string): Promise<PaymentStory>;
    /** Returns payments that were paid at least half an hour ago and have no known sale. */
    unsold(limit: number): Promise<ListedPayment[]>;
    refund: Rest<typeof refundPayment>;
    settle: Rest<typeof settlePayment>;
  };
  members: {
    isOn(key: InstallationKey): Promise<boolean>;
    list: Rest<typeof memberList>;
    anywhere: Rest<typeof memberAnywhere>;
    story: Rest<typeof memberStory>;
    grant: Rest<typeof grantPoints>;
    personOf(row: Parameters<typeof memberStory>[2]): { name: string; phone?: string } | undefined;
    /** Erases a member's personal data. False: already erased. */
    erase(key: InstallationKey, memberId: string, actor: Actor, reason: string): Promise<boolean>;
  };
  /** Absent: this server has no agents. */
  agents?: AgentsPart;
  /** Returns sales that moved points but are not registered: from half an hour to three days old. */
  pointsWithoutSale(limit: number): Promise<UnsoldPoints[]>;
  /**
   * Returns receipts paid by QR without a matching payment: from half an hour to three days old. Points of sale without any QR payment on
   * this server are left out.
   */
  receiptsWithoutPayment(limit: number): Promise<Listed<EntryHead>[]>;
  /** Returns unsent alerts, the oldest first. */
  unsentAlerts(limit: number): Promise<UnsentMessage[]>;
  doubtWords(doubt: Doubt): string;
  audit(wanted: AuditSearch): Promise<AuditLine[]>;
  noteAct: NoteAct;
  clock: Clock;
  /** The time zone of the pages. Times of documents use their register's clock. */
  zone: string;
  publicUrl?: string;
}
