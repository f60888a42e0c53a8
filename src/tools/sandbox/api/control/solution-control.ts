import type { Account } from "../../account/account.ts";
import type { FiscalOperation } from "../../caller/fiscal-operation.ts";
import { FISCAL_RECORD } from "../../solution/fiscal-record.ts";
import type { LifecycleResult, SolutionHost } from "../../solution/host.ts";
import type { Tills } from "../../solution/tills.ts";
import type { UserContexts } from "../../solution/user-contexts.ts";
import type { Json } from "../../values/json.ts";
import type { Values } from "../../values/stored.ts";
import { type Answer, ok } from "../answers/answer.ts";
import { pageAnswer } from "../answers/wire.ts";

export interface SolutionControlParts {
  readonly account: Account;
  readonly host: SolutionHost;
  readonly contexts: UserContexts;
  readonly tills: Pick<Tills, "again">;
}

const STEPS: ReadonlyMap<string, (host: SolutionHost) => Promise<LifecycleResult>> = new Map([
  ["install", (host) => host.install()],
  ["suspend", (host) => host.suspend()],
  ["resume", (host) => host.resume()],
  ["tariff", (host) => host.changeTariff()],
  ["prolong", (host) => host.prolong()],
  ["uninstall", (host) => host.uninstall()],
]);

/**
 * Answers `GET solution`, `POST solution/{step}`, `POST context/{login}[/another]`, `GET receipts`, `GET receipts/{id}[/close]`, and
 * `POST receipts/{id}[/close]`, which sends the document again. `another` opens the window of another solution.
 * Returns undefined for other requests, but 405 for a step with another method.
 */
export function answerSolution(path: string, method: string, parts: SolutionControlParts): Answer | Promise<Answer> | undefined {
  const [room = "", name = "", more, ...rest] = path.split("/");
  if (rest.length > 0) return undefined;
  if (room === "receipts" && method === "GET")
    return name === "" ? ok(listRecords(parts.account)) : receipt(more === undefined ? name : `${name}/${more}`, parts.account);
  if (room === "receipts" && method === "POST") return sendAgain(more === undefined ? name : `${name}/${more}`, parts);
  if (room === "solution" && name === "" && method === "GET") return ok(parts.host.told() as Json);
  const step = room === "solution" && more === undefined ? STEPS.get(name) : undefined;
  if (step !== undefined) return method === "POST" ? step(parts.host).then((result) => ok({ ...result } as Json)) : pageAnswer(405);
  if (room === "context" && method === "POST" && (more === undefined || more === "another")) {
    const opened = parts.contexts.open(decodeURIComponent(name), more === "another" ? "another" : "ours");
    return opened === undefined ? pageAnswer(404) : ok(opened);
  }
  return undefined;
}

/** Returns the receipt as PDF, or the record as JSON if there is no receipt yet. */
function receipt(id: string, account: Account): Answer {
  const record = account.objects.get(FISCAL_RECORD, id);
  if (record === undefined) return pageAnswer(404);
  const { state, pdf, told, operation } = record.values;
  if (typeof pdf === "string") {
    return { status: 200, file: { bytes: Buffer.from(pdf, "base64"), type: "application/pdf", filename: `${id.replace("/", "-")}.pdf` } };
  }
  const body = { state, operation, ...(told as Values | undefined) } as Json;
  return state === "sending" ? { status: 202, body } : ok(body);
}

/**
 * Returns 202 if the document is sent again, 404 for an unknown receipt, 409 if the document is being sent, is registered or no longer
 * exists.
 */
function sendAgain(id: string, { account, tills }: SolutionControlParts): Answer {
  const { operation, documentType, documentId } = account.objects.get(FISCAL_RECORD, id)?.values ?? {};
  if (operation === undefined) return pageAnswer(404);
  return tills.again(operation as FiscalOperation, String(documentType), String(documentId)) ? { status: 202 } : pageAnswer(409);
}

function listRecords(account: Account): Json {
  return [...account.objects.all(FISCAL_RECORD).values()].map(({ id, values }): Json => {
    const { state, operation, documentType, documentId, told } = values;
    return { id, state, operation, documentType, documentId, ...(told as Values | undefined) } as Json;
  });
}
