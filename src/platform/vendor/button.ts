import { PlatformFailure } from "../api/failure.ts";
import { idIn, type Trouble, type VendorBounds, type VendorLine } from "./line.ts";
import type { Told } from "./told.ts";

/** Longest texts of a notification (platform-contracts 3.8). */
const MAX_TEXT = 255;
const MAX_URL = 255;
const MAX_URL_TEXT = 30;

/** The end of what a custom button has begun: a notification for whoever pressed it. */
export interface ButtonEnd {
  /** As the platform named it when the button was pressed. */
  readonly asyncProcessId: string;
  readonly notification: {
    readonly text: string;
    /** https, or relative: a page of the platform's. */
    readonly url?: string;
    /** What the link is called; not without `url`. */
    readonly urlText?: string;
  };
}

type ButtonResult =
  /** Whoever pressed the button sees the notification. */
  | { readonly kind: "completed" }
  /** 409: it was completed before this call; another notification has been shown. */
  | { readonly kind: "completed-before"; readonly told: Told }
  /** 400: the platform does not take the notification. */
  | { readonly kind: "wrong-notification"; readonly told: Told }
  /** 404 in the platform's own words: no such process, or the solution is not installed any more. */
  | { readonly kind: "unknown-process"; readonly told: Told }
  /** 410: more than 24 hours after its beginning. */
  | { readonly kind: "too-late"; readonly told: Told }
  | Trouble;

/**
 * Ends the process of a button (platform-contracts 3.8). Safe to repeat: a process ends once, so nobody is notified twice. When an
 * attempt's answer was lost and the next is told 409, that attempt has most likely done it: `completed`.
 * @throws PlatformFailure `unsayable` for a notification that the platform would refuse.
 */
export async function completeButton(
  line: VendorLine,
  appId: string,
  { asyncProcessId, notification }: ButtonEnd,
  bounds: VendorBounds = {},
): Promise<ButtonResult> {
  checkNotification(notification);
  const { text, url, urlText } = notification;
  const { answer, leftBefore } = await line.call({
    appId,
    method: "POST",
    path: `apps/${idIn(appId)}/button/complete`,
    body: { asyncProcessId, notification: { text, url, urlText } },
    again: "harmless",
    bounds,
  });
  if (answer.kind === "good") return { kind: "completed" };
  if (answer.kind !== "refused") return answer;
  const { told } = answer;
  if (told.status === 409) return leftBefore ? { kind: "completed" } : { kind: "completed-before", told };
  if (told.status === 410) return { kind: "too-late", told };
  if (told.errors.length === 0) return answer;
  if (told.status === 400) return { kind: "wrong-notification", told };
  return told.status === 404 ? { kind: "unknown-process", told } : answer;
}

function checkNotification({ text, url, urlText }: ButtonEnd["notification"]): void {
  const problem =
    lengthProblem("text", text, MAX_TEXT) ??
    (url === undefined ? undefined : (lengthProblem("url", url, MAX_URL) ?? linkProblem(url))) ??
    (urlText === undefined ? undefined : lengthProblem("urlText", urlText, MAX_URL_TEXT)) ??
    (urlText !== undefined && url === undefined ? "urlText without url" : undefined);
  if (problem !== undefined) throw new PlatformFailure("unsayable", `a notification that the platform would refuse: ${problem}`);
}

function lengthProblem(name: string, value: string, most: number): string | undefined {
  return value.length >= 1 && value.length <= most ? undefined : `${name} has ${value.length} characters, 1 to ${most} are taken`;
}

/** Anything with a scheme but https, and `//host`, which leads to another site. */
function linkProblem(url: string): string | undefined {
  const elsewhere = url.startsWith("//") || (/^[a-z][a-z0-9+.-]*:/i.test(url) && !url.startsWith("https://"));
  return elsewhere ? "url is neither https nor relative" : undefined;
}
