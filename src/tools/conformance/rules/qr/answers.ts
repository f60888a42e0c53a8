import { type QrError, type QrStatus, readQrCreated, readQrErrors, readQrState } from "../../../sandbox/caller/qr-answer.ts";
import { CannotRun, type CheckResult, held, notApplicable } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { wordsOfAnswer } from "../../exchanges/report-text.ts";
import { type Sent, statusOf } from "../../exchanges/sent.ts";
import type { QrPayment, QrTill } from "../../play/qr-till.ts";
import type { Scene } from "../../play/scene.ts";

/** Returns the first readable error of a refusal. */
export function qrErrorOf({ exchange }: Sent): QrError | undefined {
  return exchange.kind === "answer" ? readQrErrors(exchange.body)[0] : undefined;
}

/** Expects the status, and the code in the first error. */
export function expectRefused(sent: Sent, status: number, code: number): CheckResult {
  if (statusOf(sent) !== status) return broken(sent, `the status is not ${status}`);
  return qrErrorOf(sent)?.code === code ? held : broken(sent, `the first error's code is not ${code}`);
}

/** Expects 200 with the text of a QR code. */
export function expectCreated(sent: Sent): CheckResult {
  if (statusOf(sent) !== 200) return broken(sent, "the status is not 200");
  return readQrCreated(sent.exchange).kind === "data" ? held : broken(sent, "data is no text");
}

/** Expects 200 with this status. */
export function expectState(sent: Sent, status: QrStatus): CheckResult {
  if (statusOf(sent) !== 200) return broken(sent, "the status of the answer is not 200");
  const answer = readQrState(sent.exchange);
  return answer.kind === "status" && answer.status === status ? held : broken(sent, `status is not ${status}`);
}

/** Expects 200 with any body. */
export function expectDone(sent: Sent): CheckResult {
  return statusOf(sent) === 200 ? held : broken(sent, "the status is not 200");
}

/** Returns the text of the QR code. Throws CannotRun without it. */
export function dataOf(sent: Sent): string {
  const answer = readQrCreated(sent.exchange);
  if (answer.kind === "data") return answer.data;
  throw new CannotRun(`create was answered ${wordsOfAnswer(sent)}; mend qr/create/answer first`);
}

/** Creates a payment. The default amount is one that nobody pays. Throws CannotRun when the answer has no code. */
export async function createdPayment(till: QrTill, amount?: number): Promise<QrPayment> {
  const payment = till.newPayment(amount);
  dataOf(await till.send("create", payment));
  return payment;
}

/**
 * Makes the check of a rule that needs the simulated bank, which acts by the last digits of the amount. The rule does not apply when nobody
 * pays in this run.
 */
export function byAmounts(check: (scene: Scene) => Promise<CheckResult>): (scene: Scene) => Promise<CheckResult> {
  return async (scene) => {
    if (scene.services.qr?.paying === "none") return notApplicable("nobody pays in this run: --paying amounts, with a simulated bank");
    return check(scene);
  };
}

/** Returns the first result that is not `held`, otherwise `held`. */
export function allOf(...results: readonly CheckResult[]): CheckResult {
  return results.find(({ kind }) => kind !== "held") ?? held;
}
