import type { StatusResult } from "../platform/vendor/status.ts";
import { notInstalledWords, saidIn, troubleWords } from "../platform/vendor/trouble-words.ts";
import type { InstallationKey } from "./installation.ts";
import type { Installations } from "./installations.ts";

export interface SetUpServices {
  installations: Installations;
  /**
   * Whether the set-up is complete: a default register exists, or one point of sale has a register (interface 6, Complete
   * set-up).
   */
  isComplete(key: InstallationKey): Promise<boolean>;
  /** Tells the platform that the installation is activated. */
  tell(key: InstallationKey): Promise<StatusResult>;
}

type SetUpResult =
  /** The installation is already active, or not installed now: the platform needs no message. */
  | { kind: "not-waiting" }
  | { kind: "incomplete" }
  | { kind: "activated" }
  /** The platform could not be told. The installation did not change, and the call may be repeated. */
  | { kind: "not-told"; problem: string };

/**
 * Activates an installation that waits for settings, once all of them are made. The platform is told before the installation
 * becomes active in the database. So the server never serves calls that the platform would not make.
 */
export async function finishSetUp(services: SetUpServices, key: InstallationKey): Promise<SetUpResult> {
  if (!(await isWaiting(services, key))) return { kind: "not-waiting" };
  if (!(await services.isComplete(key))) return { kind: "incomplete" };
  const result = await services.tell(key);
  if (result.kind === "reported") {
    await services.installations.completeSetUp(key);
    return { kind: "activated" };
  }
  // An activation may have arrived meanwhile. Its answer has already told the platform.
  if (!(await isWaiting(services, key))) return { kind: "not-waiting" };
  return { kind: "not-told", problem: problemOf(result) };
}

/**
 * Calls `finishSetUp` for every installation that waits for settings. The server does this at its start, because a default
 * register in its new configuration may complete them. Returns the installations that could not be reported to the platform,
 * each with the problem.
 */
export async function finishWaiting(services: SetUpServices): Promise<{ key: InstallationKey; problem: string }[]> {
  const problems: { key: InstallationKey; problem: string }[] = [];
  for (const { appId, accountId } of await services.installations.list({ state: "settings_required" })) {
    const key = { appId, accountId };
    const result = await finishSetUp(services, key);
    if (result.kind === "not-told") problems.push({ key, problem: result.problem });
  }
  return problems;
}

async function isWaiting({ installations }: SetUpServices, key: InstallationKey): Promise<boolean> {
  return (await installations.get(key))?.state === "settings_required";
}

function problemOf(result: Exclude<StatusResult, { kind: "reported" }>): string {
  if (result.kind === "not-installed") return notInstalledWords(result.reply);
  if (result.kind === "no-such-step") return `the platform does not take this step now (${saidIn(result.reply)})`;
  return troubleWords(result);
}
