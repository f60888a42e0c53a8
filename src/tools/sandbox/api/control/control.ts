import type { Account } from "../../account/account.ts";
import { contentOf } from "../../files/blob.ts";
import { type Downloads, mediaTypeOf } from "../../files/downloads.ts";
import type { Json } from "../../values/json.ts";
import { type Answer, ok } from "../answers/answer.ts";
import { pageAnswer } from "../answers/wire.ts";
import type { Counters } from "../counters/counters.ts";
import { isDecodable } from "../requests/target.ts";
import { answerLoyalty, type LoyaltyControlParts } from "./loyalty-control.ts";
import { answerQr, type QrControlParts } from "./qr-control.ts";
import { answerSolution, type SolutionControlParts } from "./solution-control.ts";
import { answerWindow } from "./window-control.ts";

interface ControlParts {
  readonly account: Account;
  readonly counters: Counters;
  readonly downloads: Downloads;
  readonly solution: SolutionControlParts | undefined;
  readonly qr: QrControlParts;
  readonly loyalty: LoyaltyControlParts;
}

interface ControlRequest {
  /** The path below `{base}/sandbox/`. */
  readonly path: string;
  readonly query: string;
  readonly method: string;
  readonly body: Buffer;
}

/**
 * Answers requests below `{base}/sandbox`, where no login is needed. These addresses have:
 * counters for client tests (json-api D38), temporary links to files, permanent addresses of images,
 * windows, steps and receipts of a solution, QR payments, and loyalty at the till.
 */
export function answerControl(request: ControlRequest, parts: ControlParts): Answer | Promise<Answer> {
  const { path, query, method, body } = request;
  const { account, counters, downloads, solution, qr, loyalty } = parts;
  if (!isDecodable(path)) return pageAnswer(400);
  const ofSolution =
    solution === undefined ? undefined : (answerWindow(path, method, query, solution) ?? answerSolution(path, method, solution));
  const told = ofSolution ?? answerQr(path, method, body, qr) ?? answerLoyalty(path, method, body, loyalty);
  if (told !== undefined) return told;
  const [room = "", name = "", ...more] = path.split("/");
  if (more.length > 0) return pageAnswer(404);
  if (method !== "GET") return pageAnswer(405);
  if (path === "counters") return ok(counters.told() as Json);
  const file = room === "download" ? downloads.take(name) : room === "image" ? imageOf(name, account) : undefined;
  return file === undefined ? pageAnswer(404) : { status: 200, file };
}

function imageOf(blob: string, account: Account) {
  const content = contentOf(blob, { account });
  return content === undefined ? undefined : { ...content, type: mediaTypeOf(content.filename) };
}
