import { PlatformFailure } from "../api/failure.ts";
import { idIn, type Trouble, type VendorBounds, type VendorLine } from "./line.ts";
import type { VendorReply } from "./reply.ts";

/** Longest texts of a notification (platform-contracts 3.8). */
const MAX_TEXT = 255;
const MAX_URL = 255;
const MAX_URL_TEXT = 30;

/** What ends the process of a custom button: a notification for the person who pressed it. */
export interface ButtonEnd {
  /** The platform's id of this press. */
  readonly asyncProcessId: string;
  readonly notification: {
    readonly text: string;
    /** https, or a relative address of the platform. */
    readonly url?: string;
    /** The text of the link; needs `url`. */
    readonly urlText?: string;
  };
}

type ButtonResult =
  /** The person who pressed the button sees the notification. */
  | { readonly kind: "completed" }
  /** 409: the process was completed before this call, with another notification. */
  | { readonly kind: "completed-before"; readonly reply: VendorReply }
  /** 400: the platform refuses the notification. */
  | { readonly kind: "wrong-notification"; readonly reply: VendorReply }
  /** 404 in the platform's own form: no such process, or the solution is uninstalled. */
  | { readonly kind: "unknown-process"; readonly reply: VendorReply }
  /** 410: the process began more than 24 hours ago. */
  | { readonly kind: "too-late"; readonly reply: VendorReply }
  | Trouble;

/**
 * Ends the process of a button (platform-contracts 3.8). Safe to repeat: a process ends once, so nobody is notified twice. A 409 counts as
 * `completed` if an earlier attempt may have arrived: most likely that attempt has ended the process.
 *
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
  const { reply } = answer;
  if (reply.status === 409) return leftBefore ? { kind: "completed" } : { kind: "completed-before", reply };
  if (reply.status === 410) return { kind: "too-late", reply };
  if (reply.errors.length === 0) return answer;
  if (reply.status === 400) return { kind: "wrong-notification", reply };
  return reply.status === 404 ? { kind: "unknown-process", reply } : answer;
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

/** Finds schemes other than https, and `//host`, which leads to another site. */
function linkProblem(url: string): string | undefined {
  const elsewhere = url.startsWith("//") || (/^[a-z][a-z0-9+.-]*:/i.test(url) && !url.startsWith("https://"));
  return elsewhere ? "url is neither https nor relative" : undefined;
}
