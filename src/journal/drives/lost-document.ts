import { LEFT_OUT, type lostDocuments, MISSED, OTHERS } from "./drive-reading-queries.ts";

/**
 * A document read in a drive. `own`: it has an id of this server. `report`: a shift report, which has no id, so its maker is unknown.
 * `unread`: the register has not returned it; `asked` is false when it was not even requested; `missed` is true when `isMissed` holds.
 * `left-out`: unread, and a person left it out. `others`: this server did not make it. `journalled`: the journal has it by now.
 */
export type ReadDocument = { number: number } & (
  | { kind: "own"; reference: string }
  | { kind: "report"; report: ReportKind; shiftNumber: number }
  | { kind: "unread"; asked: boolean; missed?: true }
  | { kind: "left-out" | "others" | "journalled" }
);

export type ReportKind = "open-shift" | "close-shift";

/** Numbers of the opening and closing reports of a device shift, as read in its drive. The journal may have these reports by now. */
export type ReadReports = Partial<Record<ReportKind, number>>;

/** Returns a shift report's text for the column with the ids of documents. No id of this server has this form. */
export function referenceOfReport({ report, shiftNumber }: Extract<ReadDocument, { kind: "report" }>): string {
  return `${report} ${shiftNumber}`;
}

const REPORT = /^(open-shift|close-shift) (\d+)$/;

/** Reads a row of `lost_documents`. An unread document counts as not requested: requests are counted since the process began. */
export function readDocumentOf({ document_number: number, reference }: Awaited<ReturnType<typeof lostDocuments>>[number]): ReadDocument {
  if (reference === null) return { number, kind: "unread", asked: false };
  if (reference === OTHERS) return { number, kind: "others" };
  if (reference === LEFT_OUT) return { number, kind: "left-out" };
  if (reference === MISSED) return { number, kind: "unread", asked: false, missed: true };
  const [, report, shiftNumber] = REPORT.exec(reference) ?? [];
  if (report === undefined) return { number, kind: "own", reference };
  return { number, kind: "report", report: report === "open-shift" ? report : "close-shift", shiftNumber: Number(shiftNumber) };
}
