import { OPERATOR } from "../accounts/audit.ts";
import type { Installation } from "../accounts/installation.ts";
import type { Installations } from "../accounts/installations.ts";
import type { SetUpServices } from "../accounts/set-up.ts";
import { type Settings, WHOLE_ACCOUNT } from "../accounts/settings.ts";
import { describeSetting, SETTING_NAMES } from "../accounts/settings-schema.ts";
import { agentIn } from "../agents/address.ts";
import type { ShownAgent } from "../agents/agent.ts";
import { visibleLine } from "../kernel/visible.ts";
import type { LoyaltyConnections } from "../loyalty/connection/connections.ts";
import { changeSettings, type SetUpStanding } from "../operator/settings/change-settings.ts";
import { installationNamed, listed } from "./account.ts";
import { readArguments } from "./arguments.ts";
import { type Command, type CommandIo, UsageError, withTools } from "./command.ts";
import { connectionLine, showTold } from "./loyalty/telling.ts";
import { atMost } from "./option-values.ts";
import { type ShopTools, shopLines } from "./shop-lines.ts";

const USAGE = `Usage: npm run cli -- settings list [ACCOUNT]
       npm run cli -- settings set ACCOUNT STORE KEY=VALUE

Shows and changes what points of sale are set to.

  ACCOUNT    id of the account; appId/accountId where the account uses several solutions
  STORE      id of the point of sale, or * for all of the account's. One that has neither sent an operation nor been set
             before is taken with a warning that names the known ones: a new shop may be set up before its first sale
  KEY=VALUE  one setting; an empty VALUE takes it away

Keys:
${SETTING_NAMES.map(keyLine).join("\n")}

When the last missing value is set the platform is told that the solution is activated. If it cannot be
reached the value stays; run the same command again. Exit code 1: the platform was not told.
`;

export interface SettingsTools {
  installations: Installations;
  settings: Settings;
  setUp: SetUpServices;
  shop: ShopTools;
  /** Returns the notification address of each acquirer of the account. No `address`: the server has no public address. */
  notifications(installation: Installation): Promise<{ acquirer: string; address?: string }[]>;
  /** `tell` tells the platform the address of the account's loyalty programme. `said` returns the platform's last answer. */
  loyalty: Pick<LoyaltyConnections, "tell" | "said">;
  /** Absent: the state of agents is not shown. */
  agents?(signal: AbortSignal): Promise<readonly ShownAgent[]>;
  close(): Promise<void>;
}

/** `open` opens the database that the configuration names. */
export function settingsCommand(open: () => Promise<SettingsTools>): Command {
  return {
    name: "settings",
    summary: "show and change what points of sale are set to",
    usage: USAGE,
    async run(args, io) {
      const work = workOf(args);
      return withTools(open, (tools) => work(tools, io));
    },
  };
}

type Work = (tools: SettingsTools, io: CommandIo) => Promise<number>;

function workOf(args: string[]): Work {
  const [action, ...rest] = positionalsOf(args);
  const [account, store, assignment] = rest;
  if (action === "list") {
    atMost(rest, 1, LIST_FORM);
    return (tools, io) => list(tools, io, account);
  }
  if (action !== "set") throw new UsageError(`expected ${LIST_FORM} or ${SET_FORM}${action === undefined ? "" : `, not "${action}"`}`);
  atMost(rest, 3, SET_FORM);
  if (account !== undefined && store !== undefined && assignment !== undefined) {
    const split = assignment.indexOf("=");
    if (split < 1) throw new UsageError(`expected KEY=VALUE, found "${assignment}"; known keys are ${SETTING_NAMES.join(", ")}`);
    const change = { account, store, name: assignment.slice(0, split), text: assignment.slice(split + 1) };
    return (tools, io) => set(tools, io, change);
  }
  const missing = account === undefined ? "ACCOUNT" : store === undefined ? "STORE" : "KEY=VALUE";
  throw new UsageError(`${missing} is missing: expected ${SET_FORM}`);
}

const LIST_FORM = "`settings list [ACCOUNT]`";
const SET_FORM = "`settings set ACCOUNT STORE KEY=VALUE`";

async function list(tools: SettingsTools, io: CommandIo, account: string | undefined): Promise<number> {
  const { found, unreadable } =
    account === undefined
      ? await tools.installations.list()
      : { found: [await installationNamed(tools.installations, account)], unreadable: [] };
  for (const { appId, accountId, problem } of unreadable) io.err(visibleLine(`${appId}/${accountId} cannot be read: ${problem}`));
  if (found.length + unreadable.length === 0) io.out("No account has installed the solution yet.");
  // The agents of all accounts are asked for once: each question may wait for the running server for seconds.
  let agents: readonly ShownAgent[] | undefined;
  for (const installation of found) {
    io.out(visibleLine(titleOf(installation)));
    const problem = await tools.installations.keyProblem(installation);
    if (problem !== undefined) io.out(`  fiscal calls are refused: ${problem}`);
    const rows = await tools.settings.list(installation);
    for (const line of await shopLines(tools.shop, installation)) io.out(visibleLine(line));
    if (rows.length === 0) io.out("  nothing is set: defaults everywhere");
    const behindAgents = rows.some(({ name, shown }) => name === "register" && agentIn(shown) !== undefined);
    if (behindAgents) agents ??= await tools.agents?.(io.signal);
    for (const { storeId, name, shown } of rows) io.out(visibleLine(`  ${storeId}  ${name}=${shown}${agentState(agents, name, shown)}`));
    for (const place of await tools.notifications(installation)) io.out(visibleLine(notificationLine(place)));
    const said = await tools.loyalty.said(installation);
    if (said !== undefined) io.out(visibleLine(connectionLine(said)));
  }
  io.out("");
  io.out("Keys:");
  for (const name of SETTING_NAMES) io.out(keyLine(name));
  return 0;
}

async function set(
  tools: SettingsTools,
  io: CommandIo,
  change: { account: string; store: string; name: string; text: string },
): Promise<number> {
  const installation = await installationNamed(tools.installations, change.account);
  const known = await tools.settings.knownStores(installation);
  const wanted = { name: change.name, text: change.text };
  const result = await changeSettings(tools, { key: installation, actor: OPERATOR }, change.store, [wanted]);
  if (result.kind === "refused") throw new UsageError(result.problems[0]?.problem ?? "");
  if (result.kind === "overtaken") throw new Error("a command changes a setting whatever it is");
  const where = change.store === WHOLE_ACCOUNT ? "the whole account" : change.store;
  if (change.store !== WHOLE_ACCOUNT && known.length > 0 && !known.includes(change.store)) io.err(unknownStoreWarning(change.store, known));
  io.out(change.text.trim() !== "" ? `${change.name} is set for ${where}` : `${change.name} is no longer set for ${where}`);
  const code = showSetUp(result.setUp, io);
  return result.loyalty === undefined ? code : Math.max(code, showTold(result.loyalty, io));
}

function showSetUp(result: SetUpStanding, io: CommandIo): number {
  switch (result.kind) {
    case "not-waiting":
      return 0;
    case "incomplete":
      io.out("The solution still waits for settings: no point of sale has a register");
      return 0;
    case "activated":
      io.out("Nothing is missing any more: the platform was told that the solution is activated");
      return 0;
    case "not-told":
      io.err(`The value is saved, but the solution is not active yet: ${result.problem}. Run the same command again.`);
      return 1;
  }
}

/** This warning is printed only for an account that has known points of sale. */
function unknownStoreWarning(store: string, known: readonly string[]): string {
  return `warning: ${store} has never been seen in this account; ${listed(known)}. If it is mistyped take the value away with an empty one.`;
}

function notificationLine({ acquirer, address }: { acquirer: string; address?: string }): string {
  const where = address ?? "no address, because PUBLIC_URL is not set: payments are found by reading";
  return `  notifications of ${acquirer}: ${where}`;
}

/** Returns in brackets the state of a register's agent. Empty: the setting names no agent, or the agents are unknown. */
function agentState(agents: readonly ShownAgent[] | undefined, setting: string, shown: string): string {
  const name = setting === "register" ? agentIn(shown) : undefined;
  if (name === undefined || agents === undefined) return "";
  const agent = agents.find((each) => each.name === name);
  if (agent === undefined) return "  (there is no such agent)";
  const { state, since } = agent;
  return `  (${state}${since === null ? "" : ` since ${since}`})`;
}

function titleOf({ appId, accountId, accountName, state }: Installation): string {
  return `${accountId} ${accountName === "" ? "" : `(${accountName}) `}of ${appId}: ${state}`;
}

function keyLine(name: (typeof SETTING_NAMES)[number]): string {
  const { description, values, scope } = describeSetting(name);
  return `  ${name.padEnd(16)} ${description} Takes ${values}${scope === "account" ? `; for ${WHOLE_ACCOUNT} only` : ""}.`;
}

function positionalsOf(args: string[]): string[] {
  return readArguments({ args, options: {}, strict: true, allowPositionals: true }).positionals;
}
