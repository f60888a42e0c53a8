import { present } from "../../../../kernel/present.ts";
import type { Account } from "../../account/account.ts";
import { KEY_CHOICES, type QrKeys } from "../../solution/qr-keys.ts";
import { qrOperation, qrOperations, toldQrOperation } from "../../solution/qr-operation.ts";
import type { QrTills, QrWish } from "../../solution/qr-tills.ts";
import type { Json } from "../../values/json.ts";
import { type Answer, ok } from "../answers/answer.ts";
import { pageAnswer } from "../answers/wire.ts";
import { controlObject, isObject } from "../requests/control-body.ts";

export interface QrControlParts {
  readonly account: Account;
  readonly keys: QrKeys;
  /** Undefined: no solution was named. */
  readonly tills: QrTills | undefined;
}

/** The list has only the newest payments, because a payment can have hundreds of calls with their bodies. */
const MAX_LISTED = 200;

type Body = Readonly<Record<string, unknown>>;

/**
 * Answers below `{base}/sandbox/qr` (payments surface 9): `POST qr`, `GET qr`, `GET qr/{operationId}`, `POST qr/{operationId}/cancel`,
 * `POST qr/token`, `POST qr/keys/rotate`, `POST qr/keys/fail`, `POST qr/keys/heal`. Undefined: another path. Throws a `Refusal` for an
 * unreadable body or invalid lines.
 */
export function answerQr(path: string, method: string, bytes: Buffer, parts: QrControlParts): Answer | Promise<Answer> | undefined {
  const [room, name, more, ...rest] = path.split("/");
  if (room !== "qr" || rest.length > 0) return undefined;
  if (name !== undefined && more === undefined && name !== "token") return method === "GET" ? tellOne(name, parts) : pageAnswer(405);
  if (name === undefined && method === "GET") return tellAll(parts);
  if (method !== "POST") return pageAnswer(405);
  if (name === "keys") return answerKeys(more, parts);
  const body = controlObject(bytes);
  if (body === undefined) return problem(400, "the body is a JSON object");
  if (name === undefined) return begin(body, parts);
  if (name === "token" && more === undefined) return makeToken(body, parts);
  return more === "cancel" ? cancel(name, body, parts) : pageAnswer(404);
}

async function begin(body: Body, { tills }: QrControlParts): Promise<Answer> {
  if (tills === undefined) return pageAnswer(404);
  const wish = wishIn(body);
  if (typeof wish === "string") return problem(400, wish);
  const begun = await tills.begin(wish);
  if ("operationId" in begun) return { status: 202, body: { operationId: begun.operationId } };
  switch (begun.problem) {
    case "no-store":
      return problem(404, "there is no such point of sale");
    case "not-installed":
      return problem(409, "the solution is not installed, or suspended");
    case "busy":
      return problem(429, "too many payments are on their way");
  }
}

/**
 * Reads a body that asks for what a till can do. For a wrong body, returns a text about the fault. To send other values, a tester calls the
 * solution with a token of `qr/token`.
 */
function wishIn({ retailStoreId, amount, positions, sale = false }: Body): QrWish | string {
  if (retailStoreId !== undefined && typeof retailStoreId !== "string") return "retailStoreId is an id";
  if (amount !== undefined && !(typeof amount === "number" && Number.isSafeInteger(amount) && amount > 0))
    return "amount is whole kopecks above 0";
  if (positions !== undefined && !Array.isArray(positions)) return "positions is an array";
  if (typeof sale !== "boolean") return "sale is true or false";
  return { ...present({ retailStoreId, amount, positions: positions as readonly unknown[] | undefined }), sale };
}

async function cancel(id: string, body: Body, { tills }: QrControlParts): Promise<Answer> {
  const named = Object.fromEntries(["amount", "retailStoreId"].filter((name) => name in body).map((name) => [name, body[name]]));
  const called = await tills?.cancel(id, named);
  if (called === undefined) return pageAnswer(404);
  if (called === "not-installed") return problem(409, "the solution is not installed, or suspended");
  return ok({ ...called } as Json);
}

async function makeToken({ claims = {}, header = {}, key = "current" }: Body, { keys }: QrControlParts): Promise<Answer> {
  if (!isObject(claims) || !isObject(header)) return problem(400, "claims and header are JSON objects");
  const choice = KEY_CHOICES.find((each) => each === key);
  if (choice === undefined) return problem(400, `key is one of ${KEY_CHOICES.join(", ")}`);
  const token = await keys.token(choice, { claims, header });
  return token === undefined ? problem(409, "no key has left the set yet: rotate first") : ok({ token });
}

async function answerKeys(step: string | undefined, { keys }: QrControlParts): Promise<Answer> {
  switch (step) {
    case "rotate":
      return ok({ kid: await keys.rotate() });
    case "fail":
    case "heal":
      keys.fail(step === "fail");
      return ok({ failing: step === "fail" });
    default:
      return pageAnswer(404);
  }
}

function tellOne(id: string, { account, tills }: QrControlParts): Answer {
  const operation = tills === undefined ? undefined : qrOperation(account, id);
  return operation === undefined ? pageAnswer(404) : ok(toldQrOperation(account, operation));
}

function tellAll({ account, tills }: QrControlParts): Answer {
  if (tills === undefined) return pageAnswer(404);
  const newest = qrOperations(account).slice(-MAX_LISTED);
  return ok(newest.map((operation) => toldQrOperation(account, operation)));
}

function problem(status: number, error: string): Answer {
  return { status, body: { errors: [{ error }] } };
}
