import type { OnceAnswer } from "../../accounts/seen-tokens.ts";
import { MAX_BODY_WORDS } from "../../http/raw-body.ts";
import { present } from "../../kernel/present.ts";
import type { InstallationStatus } from "./schema.ts";

/**
 * Answers of the vendor contract (platform-contracts 3.6). After 4xx and 551 the platform gives up the call, so an activation has failed.
 * After any other 5xx the platform repeats the call for minutes or hours. So a fault that may end, by itself or by a repair, is answered
 * with 503.
 */
export const ok: OnceAnswer = { status: 200 };
export const noContent: OnceAnswer = { status: 204 };

export function statusIs(status: InstallationStatus): OnceAnswer {
  return { status: 200, body: JSON.stringify({ status }) };
}

export function errorIs(status: number, error: string, parameter?: string): OnceAnswer {
  return { status, body: JSON.stringify({ errors: [{ error, code: status, ...present({ parameter }) }] }) };
}

export function bodyIsWrong(parameter: string, problem: string): OnceAnswer {
  return parameter === "" ? errorIs(400, problem) : errorIs(400, problem, parameter);
}

export const notInstalled = errorIs(404, "The solution is not installed on this account");
export const tokenUsed = errorIs(401, "The token was used before");
export const tokenExpired = errorIs(401, "The token has expired");
export const tooLarge = errorIs(413, `The body is larger than ${MAX_BODY_WORDS}`);
export const wrongType = errorIs(415, "Content-Type must be application/json, the encoding identity or gzip");
export const fault = errorIs(503, "The server cannot handle the call now; repeat it");

/** The user sees these words unchanged. The descriptor declares neither buttons nor actions for scenarios, so each such call is refused. */
export const noSuchButton = actionRefused("У решения нет такой кнопки. Обновите страницу.");
export const noSuchScenario = actionRefused("У решения нет такого действия. Уберите его из сценария.");

function actionRefused(errorMessage: string): OnceAnswer {
  return { status: 400, body: JSON.stringify({ error: { code: 400, errorMessage } }) };
}
