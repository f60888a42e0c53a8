import type { Installation, ListedInstallations, UnreadableInstallation } from "../../accounts/installation.ts";
import { dayAndHourAt } from "../amounts.ts";
import { drawnInSteps, html, type Markup } from "../html.ts";
import { installationStateWords } from "../words/installation-words.ts";
import type { Cell } from "./export/csv.ts";
import type { ListFilter } from "./filter.ts";
import type { ConsoleContext, ConsoleView } from "./layout.ts";
import { listPage } from "./list-page.ts";

/** Draws the accounts that have or had the solution. */
export async function installationsPage(
  { say, zone }: ConsoleContext,
  filter: ListFilter,
  { found, unreadable }: ListedInstallations,
): Promise<ConsoleView> {
  const rows = await drawnInSteps(
    installationsIn(filter, found),
    (
      one,
    ) => html`<tr data-account="${one.accountId}" data-state="${one.state}"><td>${one.accountName}<div class="hint">${one.accountId}</div></td>
<td><span class="tag ${one.state === "active" ? "green" : one.state === "settings_required" ? "amber" : ""}">${installationStateWords(say, one.state)}</span></td>
<td class="number" data-label="${say("установлено", "installed")}">${dayAndHourAt(one.installedAtMs, zone)}</td><td class="number" data-label="${say("изменено", "changed")}">${dayAndHourAt(one.updatedAtMs, zone)}</td>
<td><a href="/console/operations?account=${one.accountId}">${say("Операции", "Operations")}</a></td></tr>`,
  );
  const title = say("Установки", "Installations");
  const content = listPage({
    say,
    address: "/console/installations",
    filter,
    title,
    hint: say("Название или идентификатор аккаунта", "Name or id of the account"),
    fields: ["q"],
    states: STATES.map((value) => ({ value, label: installationStateWords(say, value) })),
    head: [say("Аккаунт", "Account"), say("Состояние", "State"), say("Установлено", "Installed"), say("Изменено", "Changed"), ""],
    rows: [...unreadableIn(filter, unreadable).map((one) => unreadableRow(say, one)), ...rows],
  });
  return { page: "installations", title, content };
}

function unreadableRow(say: ConsoleContext["say"], { accountId, problem }: UnreadableInstallation): Markup {
  return html`<tr data-account="${accountId}" data-unreadable><td>${accountId}</td>
<td colspan="4"><span class="tag red">${say("не читается", "cannot be read")}</span><div class="hint">${problem}</div></td></tr>`;
}

const STATES = ["active", "settings_required", "suspended", "uninstalled"] as const satisfies readonly Installation["state"][];

/** Returns the installations that match a filter. `q`: an account id or a part of an account name. */
export function installationsIn({ q, accountId, state }: ListFilter, all: readonly Installation[]): Installation[] {
  const text = q?.toLowerCase();
  return all.filter(
    (one) =>
      (state === undefined || one.state === state) &&
      (accountId === undefined || one.accountId === accountId) &&
      (text === undefined || one.accountId.toLowerCase() === text || one.accountName.toLowerCase().includes(text)),
  );
}

/** Returns the unreadable installations that a filter leaves. Their state and name are unknown, so a filter by a state finds none. */
function unreadableIn({ q, accountId, state }: ListFilter, all: readonly UnreadableInstallation[]): UnreadableInstallation[] {
  const text = q?.toLowerCase();
  return all.filter(
    (one) =>
      state === undefined &&
      (accountId === undefined || one.accountId === accountId) &&
      (text === undefined || one.accountId.toLowerCase() === text),
  );
}

export const INSTALLATIONS_HEAD = ["account", "name", "state", "installed", "changed", "catalogue entry"] as const;

/** Yields the rows of the export, first those of the installations that cannot be read. */
export async function* installationPieces(
  filter: ListFilter,
  { found, unreadable }: ListedInstallations,
  zone: string,
): AsyncIterable<readonly Cell[][]> {
  const bad = unreadableIn(filter, unreadable).map(({ accountId, appId, problem }) => [accountId, problem, "unreadable", "", "", appId]);
  yield [...bad, ...installationsIn(filter, found).map((one) => installationCells(one, zone))];
}

function installationCells(one: Installation, zone: string): Cell[] {
  return [one.accountId, one.accountName, one.state, dayAndHourAt(one.installedAtMs, zone), dayAndHourAt(one.updatedAtMs, zone), one.appId];
}
