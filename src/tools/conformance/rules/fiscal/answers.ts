import { CannotRun, type CheckResult, held } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { wordsOfAnswer } from "../../exchanges/report-text.ts";
import { errorOf, objectOf, type Sent, statusOf } from "../../exchanges/sent.ts";

/** Expects 200. The rules of fiscal/answer check the content. */
export function expectDone(sent: Sent): CheckResult {
  return statusOf(sent) === 200 ? held : broken(sent, "the status is not 200");
}

/** Expects the status, and one of the codes in the first error. */
export function expectRefused(sent: Sent, status: number, ...codes: number[]): CheckResult {
  if (statusOf(sent) !== status) return broken(sent, `the status is not ${status}`);
  const code = errorOf(sent)?.code;
  return code !== undefined && codes.includes(code) ? held : broken(sent, `the first error's code is not ${codes.join(" or ")}`);
}

export function bytesOf({ exchange }: Sent): Buffer {
  return exchange.kind === "answer" ? exchange.body : Buffer.alloc(0);
}

/** Returns the fiscal document number of an ordinary answer. Throws CannotRun without it. */
export function documentNumberOf(sent: Sent): number {
  const number = Number(objectOf(sent)?.fiscalDocNumber ?? Number.NaN);
  if (statusOf(sent) === 200 && Number.isSafeInteger(number) && number > 0) return number;
  throw new CannotRun(`an ordinary document's answer names no fiscalDocNumber (${wordsOfAnswer(sent)}); mend fiscal/answer first`);
}

/** Expects both answers to have the same status and bytes. */
export function expectSameAnswer(first: Sent, second: Sent): CheckResult {
  if (statusOf(second) !== statusOf(first))
    return broken(second, `the first answer's status was ${statusOf(first)}, this one's is another`);
  return bytesOf(first).equals(bytesOf(second))
    ? held
    : broken(second, `the first answer was ${wordsOfAnswer(first)}, this one is another`);
}

/** Expects consecutive document numbers of the drive: the server registered nothing between the two answers. */
export function expectNext(before: Sent, after: Sent): CheckResult {
  const numbers = [documentNumberOf(before), documentNumberOf(after)] as const;
  return numbers[1] === numbers[0] + 1 ? held : broken(after, `the one before was document ${numbers[0]}, this one is ${numbers[1]}`);
}
