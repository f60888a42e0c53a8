import type { CredentialSet } from "../../accounts/credentials.ts";
import type { InstallationKey, InstallationState } from "../../accounts/installation.ts";
import type { Installations } from "../../accounts/installations.ts";
import type { OnceAnswer } from "../../accounts/seen-tokens.ts";
import type { Log } from "../../kernel/log.ts";
import { bodyIsWrong, noContent, notInstalled, ok, statusIs } from "./failures.ts";
import { type ActivationBody, activationSchema, deactivationSchema, eventSchema, type InstallationStatus, readBodyAs } from "./schema.ts";
import { activationOf, changeOf, permissionsOf } from "./translate.ts";

interface CallServices {
  installations: Installations;
  /** True when a default register exists, or a register is set for the account or a point of sale (interface 6, Complete set-up). */
  isComplete(key: InstallationKey): Promise<boolean>;
  /** Called after each Install or Resume that leaves the installation active. Returns before the work that follows is done. */
  activated(key: InstallationKey): void;
}

export interface ProvedCall extends InstallationKey {
  set: CredentialSet;
  log: Log;
}

/** PUT: Install, Resume and changes of the subscription (platform-contracts 3.5). */
export async function putInstallation(services: CallServices, call: ProvedCall, value: unknown): Promise<OnceAnswer> {
  const read = readBodyAs(activationSchema, value);
  if (read.kind === "wrong") return bodyIsWrong(read.parameter, read.problem);
  const { body } = read;
  if (body.appUid !== call.set.appUid) return bodyIsWrong("appUid", "appUid does not belong to this appId");
  switch (body.cause) {
    case "Install":
    case "Resume":
      return statusIs(await install(services, call, body));
    case "TariffChanged":
    case "Autoprolongation":
      return statusIs(await change(services, call, body));
    default:
      // An unknown cause is not refused: a 4xx would be final and leave the customer without the solution.
      call.log.warn({ cause: body.cause }, "an activation came with an unknown cause; nothing was changed");
      return statusIs(await currentStatus(services, call));
  }
}

/** DELETE: suspends or uninstalls. An unknown or missing cause counts as Suspend, because Resume undoes a suspension. */
export async function deleteInstallation({ installations }: CallServices, call: ProvedCall, value: unknown): Promise<OnceAnswer> {
  const read = readBodyAs(deactivationSchema, value);
  if (read.kind === "wrong") return bodyIsWrong(read.parameter, read.problem);
  const cause = read.body.cause ?? "none";
  if (cause !== "Suspend" && cause !== "Uninstall") call.log.warn({ cause }, "a deactivation came with an unknown cause; it was suspended");
  const outcome = await installations.deactivate(call, cause === "Uninstall" ? "uninstalled" : "suspended", cause);
  call.log.info({ cause, outcome }, "installation deactivated");
  return outcome === "absent" ? noContent : ok;
}

/** GET: the old status call. A suspended or uninstalled installation counts as not installed. */
export async function getInstallation({ installations }: CallServices, call: ProvedCall): Promise<OnceAnswer> {
  const state = (await installations.get(call))?.state;
  return state === "active" || state === "settings_required" ? statusIs(statusOf(state)) : notInstalled;
}

/** PUT event: PermissionsChanged changes the granted permissions and the account's name. Any other cause changes nothing. */
export async function putEvent({ installations }: CallServices, call: ProvedCall, value: unknown): Promise<OnceAnswer> {
  const read = readBodyAs(eventSchema, value);
  if (read.kind === "wrong") return bodyIsWrong(read.parameter, read.problem);
  if (read.body.cause !== "PermissionsChanged") {
    call.log.warn({ cause: read.body.cause }, "an event came with an unknown cause; nothing was changed");
    return (await installations.get(call)) === undefined ? notInstalled : ok;
  }
  return (await installations.change(call, permissionsOf(read.body))) ? ok : notInstalled;
}

async function install(services: CallServices, call: ProvedCall, body: ActivationBody): Promise<InstallationStatus> {
  const { installations, isComplete } = services;
  const activation = activationOf(body);
  const complete = await isComplete(call);
  await installations.activate(call, activation, complete ? "active" : "settings_required", body.cause);
  // The last missing setting may have been made between the first check and the commit. Without a second check only the next start of
  // the server would notice this.
  if (!complete && (await isComplete(call))) await installations.completeSetUp(call);
  // The settings page may have activated the installation meanwhile, and told the platform so.
  const status = await currentStatus(services, call);
  const active = status === "Activated";
  call.log.info({ cause: body.cause, active }, "installation activated");
  await warnOfKey(services, call);
  if (active) services.activated({ appId: call.appId, accountId: call.accountId });
  return status;
}

async function change(services: CallServices, call: ProvedCall, body: ActivationBody): Promise<InstallationStatus> {
  const known = await services.installations.change(call, changeOf(body));
  if (!known) call.log.warn({ cause: body.cause }, "a change came for an installation that is not known; nothing was kept");
  else await warnOfKey(services, call);
  return currentStatus(services, call);
}

/**
 * Logs why the installation's newest key cannot be used. Without a usable key fiscal calls are refused, and a person must ask the platform
 * for another key.
 */
async function warnOfKey({ installations }: CallServices, call: ProvedCall): Promise<void> {
  const problem = await installations.keyProblem(call);
  if (problem !== undefined) call.log.error({ problem }, "the public key of the installation cannot be used; its fiscal part is off");
}

/**
 * The status for the platform. Only an active installation is `Activated`. A suspended, uninstalled or unknown installation counts as
 * `SettingsRequired`.
 */
async function currentStatus({ installations }: CallServices, call: ProvedCall): Promise<InstallationStatus> {
  return statusOf((await installations.get(call))?.state);
}

function statusOf(state: InstallationState | undefined): InstallationStatus {
  return state === "active" ? "Activated" : "SettingsRequired";
}
