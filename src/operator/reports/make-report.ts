import { createHash } from "node:crypto";
import type { Actor, NoteAct } from "../../accounts/audit.ts";
import type { Entry, EntryKey } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { BY_COMMAND } from "../../journal/reading/head.ts";
import type { Clock } from "../../kernel/clock.ts";
import { wallTimeAt } from "../../kernel/moment.ts";
import { present } from "../../kernel/present.ts";
import { UNSTATED } from "../../model/doubt.ts";
import type { DocumentFacts } from "../../model/facts.ts";
import type { ReportOperation } from "../../model/operation.ts";
import { type PointOfSale, type RegisterChoice, registerNow } from "../../operations/plan.ts";
import type { Submission, Submitted } from "../../operations/submission.ts";
import type { Operations } from "../../operations/submit.ts";
import { type NotMade, notMadeOf, submitUntilEnded } from "../submit-until-ended.ts";

/** A person's request for a report. `appId`: absent if the journal should supply it. */
export interface ReportRequest {
  kind: ReportOperation["kind"];
  appId?: string;
  accountId: string;
  storeId: string;
}

export type ReportPlan =
  /** `register`: undefined when the point of sale has none. `before`: the register of its newest operation. */
  | { kind: "plan"; report: ReportOperation["kind"]; point: PointOfSale; register: string | undefined; before?: string }
  /** The journal has no operation of this point of sale, so a person must name the installation. */
  | { kind: "refused"; because: { code: "point-of-sale-unknown" } };

type ReportMade = { kind: "made"; entry: Entry; facts: DocumentFacts } | { kind: "not-made"; because: NotMade; entry?: Entry };

/** After this many doubtful answers in a row the register counts as unable to end the doubt now. */
const MAX_DOUBTS = 2;

/** Finds the register for the report. Sends nothing. */
export async function planReport(
  { journal, choice }: { journal: Journal; choice: RegisterChoice },
  { kind, appId: said, accountId, storeId }: ReportRequest,
): Promise<ReportPlan> {
  const newest = await journal.newestOf(accountId, storeId);
  const appId = said ?? newest?.key.appId;
  if (appId === undefined) return { kind: "refused", because: { code: "point-of-sale-unknown" } };
  const point = { appId, accountId, storeId };
  const register = await registerNow(choice, point);
  return { kind: "plan", report: kind, point, register, ...present({ before: newest?.register }) };
}

/**
 * Makes a report in the register's lane, as an entry of its own. An unfinished report of an earlier run is finished instead. Writes an
 * audit line before sending.
 */
export async function makeReport(
  { journal, clock, operations, noteAct }: { journal: Journal; clock: Clock; operations: Pick<Operations, "submit">; noteAct: NoteAct },
  { report, point }: Pick<Extract<ReportPlan, { kind: "plan" }>, "report" | "point">,
  actor: Actor,
): Promise<ReportMade> {
  const operation = (await unfinished(journal, report, point)) ?? newReport(clock, report, point);
  const { appId, accountId } = point;
  const key = { appId, accountId, operation: operation.kind, documentId: operation.document.id };
  await noteAct({ key, actor }, { storeId: point.storeId, act: "report", subject: operation.document.id, after: operation.kind });
  const submitted = await submit(operations, journal, key, submissionOf(key, operation));
  const entry = await journal.find(key);
  if (submitted.kind === "done" && entry?.facts !== undefined) return { kind: "made", entry, facts: entry.facts };
  return { kind: "not-made", because: notMadeOf(submitted), ...present({ entry }) };
}

async function unfinished(
  journal: Journal,
  kind: ReportOperation["kind"],
  { appId, accountId, storeId }: PointOfSale,
): Promise<ReportOperation | undefined> {
  for (const { id, key, storeId: at } of await journal.heads.unfinished()) {
    const same = key.appId === appId && key.accountId === accountId && at === storeId && key.operation === kind;
    const operation = same ? (await journal.get(id))?.operation : undefined;
    if (operation !== undefined && (operation.kind === "x-report" || operation.kind === "state-report") && operation.kind === kind)
      return operation;
  }
  return undefined;
}

/**
 * Returns a new report. Its id is the moment of the request, so each request has a separate report. A report belongs to no shift of the
 * platform, so the id of the report also stands for the shift.
 */
function newReport(clock: Clock, kind: ReportOperation["kind"], { storeId }: PointOfSale): ReportOperation {
  const nowMs = clock.nowMs();
  const document = { id: new Date(nowMs).toISOString(), idType: "native" as const };
  return { kind, document, shift: document, storeId, name: BY_COMMAND, moment: wallTimeAt(nowMs, "UTC") };
}

function submissionOf({ appId, accountId }: EntryKey, operation: ReportOperation): Submission {
  const { kind, storeId, document } = operation;
  const contentHash = createHash("sha256")
    .update(JSON.stringify({ kind, storeId, id: document.id }))
    .digest("hex");
  // Nobody reads this answer: the paper is drawn from the journal's entry.
  return { appId, accountId, operation, contentHash, twinHash: contentHash, answer: () => Buffer.from(document.id) };
}

/** Waits for a slow register. After a refusal in the meantime, the report is not attempted again. */
function submit(operations: Pick<Operations, "submit">, journal: Journal, key: EntryKey, submission: Submission): Promise<Submitted> {
  let doubts = 0;
  return submitUntilEnded(operations, submission, async () => {
    const entry = await journal.find(key);
    if (entry?.state === "refused") return { kind: "refused", refusal: entry.refusal ?? { code: "not-registered" } };
    doubts = entry?.state === "in-doubt" ? doubts + 1 : 0;
    return doubts === MAX_DOUBTS ? { kind: "in-doubt", doubt: entry?.doubt ?? UNSTATED } : undefined;
  });
}
