import { type Clock, pause } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";

/** The platform's own patience is 10 s; ours is shorter, a person may be waiting for the result. */
const ATTEMPT_LIMIT_MS = 5_000;
/** Pauses between attempts: a platform that restarts is back in seconds, anything longer is for a person. */
const PAUSES_MS = [500, 2_000] as const;
/** Longest words of the platform's that are passed on. */
const MAX_WORDS = 200;
/** An answer is a few hundred bytes; no more than this is looked at. */
const MAX_ANSWER_CHARACTERS = 64 * 1024;

export interface StatusCall {
  appId: string;
  accountId: string;
  status: "Activating" | "SettingsRequired" | "Activated";
}

export type StatusResult =
  /** The platform has the status, also when it had it before. */
  | { kind: "told" }
  /** 4xx: the same call would be refused again. 404: not installed; 409: its lifecycle forbids the step. */
  | { kind: "refused"; status: number; words: string }
  | { kind: "unreachable"; reason: string };

export interface LifecycleServices {
  /** Address of the platform's side of the vendor contract. */
  appsUrl: string;
  /** A fresh token for one call; the platform takes none twice. */
  token(appId: string): Promise<string>;
  clock: Clock;
  log: Log;
  fetch: typeof fetch;
}

/**
 * Tells the platform the status of an installation (platform-contracts 3.8). Safe to repeat. Tries three
 * times at most, within 20 s.
 */
export async function tellStatus(services: LifecycleServices, call: StatusCall): Promise<StatusResult> {
  let result = await attempt(services, call);
  for (const pauseMs of PAUSES_MS) {
    if (result.kind !== "unreachable") return result;
    services.log.warn({ appId: call.appId, accountId: call.accountId, reason: result.reason }, "the platform could not be told a status");
    await pause(services.clock, pauseMs);
    result = await attempt(services, call);
  }
  return result;
}

async function attempt({ appsUrl, token, clock, fetch }: LifecycleServices, call: StatusCall): Promise<StatusResult> {
  const bearer = await token(call.appId);
  const limit = new AbortController();
  const cancel = clock.after(ATTEMPT_LIMIT_MS, () => limit.abort(new Error(`no answer within ${ATTEMPT_LIMIT_MS} ms`)));
  try {
    const response = await fetch(statusUrl(appsUrl, call), {
      method: "PUT",
      headers: {
        Authorization: `Bearer ${bearer}`,
        // Without it the platform answers 415.
        "Accept-Encoding": "gzip",
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ status: call.status }),
      // The token is for this address alone.
      redirect: "manual",
      signal: limit.signal,
    });
    return resultOf(response.status, (await response.text()).slice(0, MAX_ANSWER_CHARACTERS));
  } catch (error) {
    return { kind: "unreachable", reason: reasonOf(error) };
  } finally {
    cancel();
  }
}

function statusUrl(appsUrl: string, { appId, accountId }: StatusCall): string {
  return `${appsUrl}/api/vendor/1.0/apps/${encodeURIComponent(appId)}/${encodeURIComponent(accountId)}/status`;
}

function resultOf(status: number, text: string): StatusResult {
  if (status >= 200 && status < 300) return { kind: "told" };
  const words = wordsOf(text);
  if (status >= 500 || status === 429)
    return { kind: "unreachable", reason: words === "" ? `answered ${status}` : `answered ${status}: ${words}` };
  return { kind: "refused", status, words };
}

/** The first error of the JSON API's shape; empty when there is none. */
function wordsOf(text: string): string {
  try {
    const answer: unknown = JSON.parse(text);
    const errors = typeof answer === "object" && answer !== null && "errors" in answer ? answer.errors : undefined;
    const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
    const words = typeof first === "object" && first !== null && "error" in first ? first.error : undefined;
    return typeof words === "string" ? words.slice(0, MAX_WORDS) : "";
  } catch (error) {
    if (error instanceof SyntaxError) return "";
    throw error;
  }
}

/** fetch hides what happened in `cause`: "fetch failed" alone helps nobody. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${messageOf(cause)}`;
}
