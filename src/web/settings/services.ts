import type { IncomingMessage } from "node:http";
import type { ReadAudit } from "../../accounts/audit.ts";
import type { Installations } from "../../accounts/installations.ts";
import type { Settings } from "../../accounts/settings.ts";
import type { PointsOfSale } from "../../accounts/shop/points-of-sale.ts";
import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Concern } from "../../model/concerns.ts";
import type { Doubt } from "../../model/doubt.ts";
import type { Explanation } from "../../operator/explaining/explanation.ts";
import type { RegisterDesk, SeenAnswers } from "../../operator/registers/register-desk.ts";
import type { makeReport } from "../../operator/reports/make-report.ts";
import type { changeSettings, SetUpStanding } from "../../operator/settings/change-settings.ts";
import type { Statement, settleByHand } from "../../operator/settling/settle-by-hand.ts";
import type { AgentsPart } from "../agents/agents-part.ts";
import type { DrawnPaper } from "../receipt-view.ts";
import type { MembersPart } from "./members-part.ts";
import type { PaymentsPart } from "./payments-part.ts";
import type { ProgrammePart } from "./programme-part.ts";
import type { PageSessions, PageUser } from "./session/session.ts";

/** The platform's answer about a window's proof. The platform itself gave the proof to the window. */
export type Identified =
  | { kind: "user"; user: PageUser }
  /** The proof is unknown, used, expired or of another solution, or the platform is unreachable. */
  | { kind: "nobody"; why: string };

export type WindowProof = { kind: "token"; token: string } | { kind: "context-key"; contextKey: string };

export interface RegisterForm {
  scheme: string;
  place: { kind: "name" } | { kind: "network"; port: number } | { kind: "serial" };
  options: Readonly<Record<string, RegisterOption>>;
}

export interface RegisterOption {
  values: readonly string[] | { least: number; most: number };
  standard?: string;
  secret?: true;
}

type Parts = Readonly<Record<string, string>>;

interface RegisterForms {
  forms: readonly RegisterForm[];
  addressOf(form: RegisterForm, parts: Parts): string;
  partsOf(address: string): Parts | undefined;
  /** Why the address is invalid, in the English words of its parser. Undefined: the address is valid. Asks no device. */
  problemOf(address: string): string | undefined;
  /** Serial ports of the server's machine. Undefined: the system cannot list them. */
  ports(): Promise<readonly string[] | undefined>;
}

export interface SettingsPageServices {
  sessions: PageSessions;
  /** Returns a caller's address, also behind a trusted proxy. Undefined: unknown. */
  callerOf(request: IncomingMessage): string | undefined;
  installations: Pick<Installations, "get" | "keyProblem">;
  identify(appId: string, proof: WindowProof): Promise<Identified>;
  settings: Pick<Settings, "of" | "versions" | "filledIn">;
  points: Pick<PointsOfSale, "list">;
  registers: RegisterForms;
  desk: Pick<RegisterDesk, "standing" | "look" | "tryAddress">;
  /** Returns what stops a register now or soon, by its last answers. */
  concernsOf(seen: SeenAnswers): readonly Concern[];
  change(
    ...parameters: Parameters<typeof changeSettings> extends [unknown, ...infer Rest] ? Rest : never
  ): ReturnType<typeof changeSettings>;
  finishSetUp(key: { appId: string; accountId: string }, name: string): Promise<SetUpStanding>;
  isComplete(key: { appId: string; accountId: string }): Promise<boolean>;
  /** Returns the changes of a point of sale, the newest first. */
  auditOf(key: { appId: string; accountId: string }, storeId: string, limit: number): Promise<ReadAudit[]>;
  journal: Pick<Journal, "list" | "find" | "get" | "heads">;
  explain(entry: Entry): Promise<Explanation>;
  doubtWords(doubt: Doubt): string;
  settle(entry: Entry, statement: Statement, name: string): ReturnType<typeof settleByHand>;
  paperOf(entry: Entry): DrawnPaper;
  pdfOf(entry: Entry): Promise<Buffer>;
  /** Makes the register print its counters. The drive registers nothing. */
  testSlip(point: { appId: string; accountId: string; storeId: string }, name: string): ReturnType<typeof makeReport>;
  payments: PaymentsPart;
  members: MembersPart;
  programme: ProgrammePart;
  /** Absent: this server has no agents. */
  agents?: AgentsPart;
  clock: Clock;
  /** The origin of the platform's web application, which shows the page in a frame. */
  hostOrigin: string;
  publicUrl?: string;
}
