import type { FiscalOperation } from "./fiscal-operation.ts";
import { unzip } from "./unzip.ts";

/** A solution's answer to a fiscal request (platform-contracts 4.6), with the receipt unzipped. */
export interface FiscalAnswer {
  fnNumber: string;
  kktRegNumber: string;
  fiscalDocNumber: string;
  fiscalDocSign: string;
  time: string;
  shiftNumber?: string;
  chequesTotal?: number;
  fiscalDocsTotal?: number;
  pdf: Buffer;
}

export interface AnsweredError {
  error: string;
  code: number;
  message: string;
  parameter?: string;
}

type ReadAnswer = { kind: "answer"; answer: FiscalAnswer } | { kind: "wrong"; problem: string };

const FORMS: Record<"fnNumber" | "kktRegNumber" | "fiscalDocNumber" | "fiscalDocSign" | "time", RegExp> = {
  fnNumber: /^\d{16}$/,
  kktRegNumber: /^\d{16}$/,
  fiscalDocNumber: /^(0|[1-9]\d*)$/,
  fiscalDocSign: /^\d{1,10}$/,
  time: /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/,
};
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Checks every field of the contract for the operation. Returns the answer, or the first problem. */
export function readFiscalAnswer(operation: FiscalOperation, body: Buffer): ReadAnswer {
  const value = parseObject(body);
  if (value === undefined) return wrong("the answer is not a JSON object");
  const texts: Partial<Record<keyof typeof FORMS, string>> = {};
  for (const [field, form] of Object.entries(FORMS)) {
    const found = value[field];
    if (typeof found !== "string" || !form.test(found)) return wrong(`${field} is ${JSON.stringify(found)}`);
    texts[field as keyof typeof FORMS] = found;
  }
  const counts = countsOf(operation, value);
  if (typeof counts === "string") return wrong(counts);
  const pdf = pdfOf(value.receipt);
  if (typeof pdf === "string") return wrong(pdf);
  const { fnNumber = "", kktRegNumber = "", fiscalDocNumber = "", fiscalDocSign = "", time = "" } = texts;
  return { kind: "answer", answer: { fnNumber, kktRegNumber, fiscalDocNumber, fiscalDocSign, time, ...counts, pdf } };
}

/** Returns the errors of a refusal. Malformed errors are left out. */
export function readErrors(body: Buffer): AnsweredError[] {
  const errors = parseObject(body)?.errors;
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((entry: unknown) => {
    if (typeof entry !== "object" || entry === null) return [];
    const { error, code, error_message: message, parameter } = entry as Record<string, unknown>;
    if (typeof error !== "string" || typeof code !== "number" || typeof message !== "string") return [];
    return [{ error, code, message, ...(typeof parameter === "string" ? { parameter } : {}) }];
  });
}

type Counts = Pick<FiscalAnswer, "shiftNumber" | "chequesTotal" | "fiscalDocsTotal">;

/** Returns the shift fields, or a problem. Only shift operations have these fields. */
function countsOf(operation: FiscalOperation, value: Record<string, unknown>): Counts | string {
  const { shiftNumber, chequesTotal, fiscalDocsTotal } = value;
  if (operation !== "openshift" && operation !== "closeshift") return {};
  if (typeof shiftNumber !== "string" || !/^[1-9]\d*$/.test(shiftNumber)) return `shiftNumber is ${JSON.stringify(shiftNumber)}`;
  if (operation === "openshift") return { shiftNumber };
  if (typeof chequesTotal !== "number" || !Number.isInteger(chequesTotal)) return `chequesTotal is ${JSON.stringify(chequesTotal)}`;
  if (typeof fiscalDocsTotal !== "number" || !Number.isInteger(fiscalDocsTotal))
    return `fiscalDocsTotal is ${JSON.stringify(fiscalDocsTotal)}`;
  return { shiftNumber, chequesTotal, fiscalDocsTotal };
}

function pdfOf(receipt: unknown): Buffer | string {
  if (typeof receipt !== "string") return "the receipt is missing";
  if (!BASE64.test(receipt)) return "the receipt is not standard Base64";
  const unzipped = unzip(Buffer.from(receipt, "base64"));
  if (unzipped.kind === "broken") return `the receipt's zip is broken: ${unzipped.problem}`;
  const [entry, ...others] = unzipped.entries;
  if (entry === undefined || others.length > 0) return `the receipt's zip has ${unzipped.entries.length} entries`;
  if (entry.name !== "receipt.pdf") return `the receipt's entry is called ${JSON.stringify(entry.name)}`;
  return entry.bytes.subarray(0, 5).toString("latin1") === "%PDF-" ? entry.bytes : "the receipt is not a PDF";
}

function parseObject(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function wrong(problem: string): ReadAnswer {
  return { kind: "wrong", problem };
}
