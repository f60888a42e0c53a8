import type { StatusResult } from "../platform/vendor/status.ts";
import type { InstallationKey } from "./installation.ts";
import type { Installations } from "./installations.ts";

export interface SetUpServices {
  installations: Installations;
  /** Whether a default register exists or one point of sale is bound (interface 6, Complete set-up). */
  isComplete(key: InstallationKey): Promise<boolean>;
  /** Tells the platform that the installation is activated. */
  tell(key: InstallationKey): Promise<StatusResult>;
}

type SetUpResult =
  /** Active already, or not installed now: nothing has to be told. */
  | { kind: "not-waiting" }
  | { kind: "incomplete" }
  | { kind: "activated" }
  /** The installation stays as it was; doing it again is safe. */
  | { kind: "not-told"; problem: string };

/**
 * Ends the wait for settings once the last missing one is there: the platform is told first, then the
 * installation becomes active, so that it never serves calls the platform would not make.
 */
export async function finishSetUp(services: SetUpServices, key: InstallationKey): Promise<SetUpResult> {
  if (!(await isWaiting(services, key))) return { kind: "not-waiting" };
  if (!(await services.isComplete(key))) return { kind: "incomplete" };
  const told = await services.tell(key);
  if (told.kind === "told") {
    await services.installations.completeSetUp(key);
    return { kind: "activated" };
  }
  // An activation may have come between, and answered the platform itself.
  if (!(await isWaiting(services, key))) return { kind: "not-waiting" };
  return { kind: "not-told", problem: problemOf(told) };
}

/**
 * The same for every installation that waits, at the server's start: a default register that was configured
 * meanwhile completes them. What became of each that the platform could not be told.
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

function problemOf(result: Exclude<StatusResult, { kind: "told" }>): string {
  if (result.kind === "cancelled") return "telling the platform was given up";
  if (result.kind === "unreachable") return `the platform cannot be reached (${result.reason})`;
  const { status, words } = result.told;
  const said = words === "" ? String(status) : `${status}: ${words}`;
  switch (result.kind) {
    case "unavailable":
      return `the platform cannot be reached (answered ${said})`;
    case "not-installed":
      return `the platform does not know this installation (${said})`;
    case "no-such-step":
      return `the platform does not take this step now (${said})`;
    case "unauthorized":
      return `the platform does not take our token (${said}): is the secretKey in CREDENTIALS right, and this machine's clock?`;
    case "refused":
      // In the platform's own words there is at least one error; a page or nothing comes from somebody else.
      return `the platform refused (${said})${result.told.errors.length > 0 ? "" : ": is PLATFORM_APPS_URL its address?"}`;
  }
}
