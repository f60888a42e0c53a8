import { messageOf } from "../kernel/failure.ts";
import type { StatusResult } from "../platform/vendor/status.ts";
import { notInstalledWords, saidIn, troubleWords } from "../platform/vendor/trouble-words.ts";
import { type Actor, SERVER } from "./audit.ts";
import type { InstallationKey } from "./installation.ts";
import type { Installations } from "./installations.ts";

export interface SetUpServices {
  installations: Installations;
  /** True when a default register exists, or a register is set for the account or a point of sale (interface 6, Complete set-up). */
  isComplete(key: InstallationKey): Promise<boolean>;
  tell(key: InstallationKey): Promise<StatusResult>;
}

type SetUpResult =
  /** The installation does not wait for settings. The platform needs no message. */
  | { kind: "not-waiting" }
  | { kind: "incomplete" }
  | { kind: "activated" }
  /** The platform could not be told. The installation did not change, and the call may be repeated. */
  | { kind: "not-told"; problem: string };

/** `failed`: the installation could not be looked at, for example because its settings cannot be read. */
interface StillWaiting {
  key: InstallationKey;
  kind: "not-told" | "failed";
  problem: string;
}

/**
 * Activates an installation whose last missing setting was made. Tells the platform before it changes the database. Otherwise the server
 * would serve calls that the platform does not make yet. `actor`: who made the last setting.
 */
export async function finishSetUp(services: SetUpServices, key: InstallationKey, actor: Actor = SERVER): Promise<SetUpResult> {
  if (!(await isWaiting(services, key))) return { kind: "not-waiting" };
  if (!(await services.isComplete(key))) return { kind: "incomplete" };
  const result = await services.tell(key);
  // A Suspend or an Uninstall may have come after the platform was told.
  if (result.kind === "reported") return { kind: (await services.installations.completeSetUp(key, actor)) ? "activated" : "not-waiting" };
  // The platform may have activated, suspended or removed the installation meanwhile. Then the platform knows the new state already.
  if (!(await isWaiting(services, key))) return { kind: "not-waiting" };
  return { kind: "not-told", problem: problemOf(result) };
}

/**
 * Calls `finishSetUp` for every installation that waits for settings. The server does so at its start, because a new default register may
 * complete the set-up of these installations. Returns the installations that could not be reported to the platform or looked at, each with
 * the problem. One failure does not stop the other installations.
 */
export async function finishWaiting(services: SetUpServices): Promise<StillWaiting[]> {
  const waiting: StillWaiting[] = [];
  for (const key of await services.installations.keys(["settings_required"])) {
    try {
      const result = await finishSetUp(services, key);
      if (result.kind === "not-told") waiting.push({ key, ...result });
    } catch (error) {
      waiting.push({ key, kind: "failed", problem: messageOf(error) });
    }
  }
  return waiting;
}

function isWaiting({ installations }: SetUpServices, key: InstallationKey): Promise<boolean> {
  return installations.isIn("settings_required", key);
}

function problemOf(result: Exclude<StatusResult, { kind: "reported" }>): string {
  if (result.kind === "not-installed") return notInstalledWords(result.reply);
  if (result.kind === "no-such-step") return `the platform does not take this step now (${saidIn(result.reply)})`;
  return troubleWords(result);
}
