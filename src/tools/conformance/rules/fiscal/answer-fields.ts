import type { FiscalOperation } from "../../../sandbox/caller/fiscal-operation.ts";
import { unzip } from "../../../sandbox/caller/unzip.ts";
import { type CheckResult, held } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { objectOf, type Sent } from "../../exchanges/sent.ts";
import { expectDone } from "./answers.ts";

const TEXTS: Record<string, RegExp> = {
  fnNumber: /^\d{16}$/,
  kktRegNumber: /^\d+$/,
  fiscalDocNumber: /^\d+$/,
  fiscalDocSign: /^\d{1,10}$/,
  time: /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/,
};
const SHIFT_TEXTS: Record<string, RegExp> = { shiftNumber: /^[1-9]\d*$/ };
const BASE64 = /^(?:[A-Za-z0-9+/]{4})+$|^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/;

/** Returns the fields of an operation's answer, without the receipt. */
export function fieldsOf(operation: FiscalOperation): { texts: Record<string, RegExp>; counts: readonly string[] } {
  const shift = operation === "openshift" || operation === "closeshift";
  return {
    texts: { ...TEXTS, ...(shift ? SHIFT_TEXTS : {}) },
    counts: operation === "closeshift" ? ["chequesTotal", "fiscalDocsTotal"] : [],
  };
}

/** Expects 200 with every field of the operation, in its type and form. */
export function expectFields(operation: FiscalOperation, sent: Sent): CheckResult {
  const done = expectDone(sent);
  if (done.kind !== "held") return done;
  const answer = objectOf(sent);
  if (answer === undefined) return broken(sent, "the body is no JSON object");
  const { texts, counts } = fieldsOf(operation);
  const wrongText = Object.entries(texts).find(([name, form]) => typeof answer[name] !== "string" || !form.test(String(answer[name])));
  if (wrongText !== undefined)
    return broken(sent, `${wrongText[0]} is ${words(answer[wrongText[0]])}, and has to be a string like ${wrongText[1].source}`);
  const wrongCount = counts.find((name) => !Number.isInteger(answer[name]));
  return wrongCount === undefined ? held : broken(sent, `${wrongCount} is ${words(answer[wrongCount])}, and has to be a whole number`);
}

type ReadReceipt = { kind: "pdf"; names: string[]; pdf: Buffer } | { kind: "wrong"; problem: string };

/** Expects standard Base64 of a zip with a PDF inside. */
export function readReceipt(sent: Sent): ReadReceipt {
  const receipt = objectOf(sent)?.receipt;
  if (typeof receipt !== "string") return wrong(`receipt is ${words(receipt)}`);
  if (!BASE64.test(receipt)) return wrong("receipt is not standard Base64 on one line");
  const unzipped = unzip(Buffer.from(receipt, "base64"));
  if (unzipped.kind === "broken") return wrong(`the zip is broken: ${unzipped.problem}`);
  const pdf = unzipped.entries.find(({ bytes }) => bytes.subarray(0, 5).toString("latin1") === "%PDF-");
  return pdf === undefined
    ? wrong("there is no PDF in the zip")
    : { kind: "pdf", names: unzipped.entries.map(({ name }) => name), pdf: pdf.bytes };
}

function wrong(problem: string): ReadReceipt {
  return { kind: "wrong", problem };
}

function words(value: unknown): string {
  return value === undefined ? "missing" : JSON.stringify(value);
}
