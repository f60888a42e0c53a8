import type { Installation, InstallationKey } from "../../../accounts/installation.ts";
import type { ListedMember } from "../../../operator/loyalty/list-members.ts";
import { html, type Markup } from "../../html.ts";
import type { Cell } from "../export/csv.ts";
import { CUT, PIECE_ROWS, type Piece } from "../export/send.ts";
import type { ListFilter } from "../filter.ts";
import type { ConsoleContext, ConsoleView } from "../layout.ts";
import { listPage } from "../list-page.ts";
import { PAGE_ROWS } from "../operations-page.ts";
import type { ConsoleServices } from "../services.ts";
import { maskedName, maskedPhone } from "./mask.ts";

type Services = Pick<ConsoleServices, "members" | "installations">;
type Found = { account: Installation; member: ListedMember };

/** The maximum number of accounts in one list. To see members of further accounts, a person chooses an account. */
const MOST_ACCOUNTS = 100;

/**
 * Draws the members of the chosen account, or the members that a search found. A search without a chosen account covers at most
 * `MOST_ACCOUNTS` accounts. Without a search, several accounts are drawn as a choice. Names and phones are masked. The page of one member
 * shows whole names and phones.
 */
export async function membersPage(services: Services, context: ConsoleContext, filter: ListFilter): Promise<ConsoleView> {
  const { say } = context;
  const title = say("Участники", "Members");
  const accounts = await accountsOf(services, filter);
  const mustChoose = accounts.length > 1 && filter.q === undefined;
  const found = mustChoose ? [] : await membersIn(services, accounts, filter, PAGE_ROWS + 1);
  const shown = found.slice(0, PAGE_ROWS);
  const last = shown.at(-1)?.member;
  const off = await withoutProgramme(services, accounts);
  const [only] = accounts.length === 1 ? off : [];
  const list = listPage({
    say,
    address: "/console/members",
    filter,
    title,
    hint: say("Телефон, карта, почта или слово имени", "Phone, card, e-mail or a word of the name"),
    fields: ["q", "account"],
    head: [say("Участник", "Member"), say("Телефон", "Phone"), { sum: say("Баллы", "Points") }, say("Аккаунт", "Account")],
    rows: shown.map((one) => memberRow(context, one)),
    ...(mustChoose ? { instead: accountChoice(context, accounts, off) } : only === undefined ? {} : { instead: offPanel(context, only) }),
    ...(filter.q === undefined && found.length > PAGE_ROWS && last !== undefined ? { next: `${last.createdAtMs}_${last.id}` } : {}),
  });
  return {
    page: "members",
    title,
    content: html`${list}${only === undefined || shown.length === 0 ? undefined : offPanel(context, only)}`,
  };
}

function memberRow({ say }: ConsoleContext, { account, member }: Found): Markup {
  const { id, name, phone, points, debtPoints } = member;
  return html`<tr data-member="${id}"><td><a href="/console/members/${encodeURIComponent(id)}">${maskedName(name)}</a></td>
<td class="number">${phone === undefined ? undefined : maskedPhone(phone)}</td><td class="number sum" data-label="${say("Баллы", "Points")}">${points}${
    debtPoints > 0 ? html` <span class="tag red">${say(`долг ${debtPoints}`, `debt ${debtPoints}`)}</span>` : undefined
  }</td><td class="soft">${account.accountName}</td></tr>`;
}

async function withoutProgramme({ members }: Services, accounts: readonly Installation[]): Promise<Installation[]> {
  const asked = await Promise.all(
    accounts.slice(0, MOST_ACCOUNTS).map(async (account) => ({ account, on: await members.isOn(keyOf(account)) })),
  );
  return asked.flatMap(({ account, on }) => (on ? [] : [account]));
}

function accountChoice({ say }: ConsoleContext, accounts: readonly Installation[], off: readonly Installation[]): Markup {
  return html`<section class="card"><p>${say("Выберите аккаунт или найдите участника.", "Choose an account, or search for a member.")}</p><ul>${accounts
    .slice(0, MOST_ACCOUNTS)
    .map(
      (account) =>
        html`<li data-account="${account.accountId}"><a href="/console/members?account=${encodeURIComponent(account.accountId)}">${account.accountName}</a> <span class="soft">${account.accountId}</span>${
          off.includes(account) ? html` <span class="tag">${say("программа выключена", "programme off")}</span>` : undefined
        }</li>`,
    )}</ul></section>`;
}

function offPanel({ say }: ConsoleContext, { accountName }: Installation): Markup {
  return html`<p class="panel amber">${say(
    `Программа аккаунта «${accountName}» выключена. Её включают на странице настроек в платформе.`,
    `The programme of the account “${accountName}” is off. It is switched on at the settings page inside the platform.`,
  )}</p>`;
}

/** Returns the installations of the chosen account. Without a choice: all installations that are not uninstalled. */
async function accountsOf({ installations }: Services, { accountId }: ListFilter): Promise<Installation[]> {
  const all = await installations();
  return all.filter((one) => (accountId === undefined ? one.state !== "uninstalled" : one.accountId === accountId));
}

async function membersIn({ members }: Services, accounts: readonly Installation[], filter: ListFilter, limit: number): Promise<Found[]> {
  const found: Found[] = [];
  for (const account of accounts.slice(0, MOST_ACCOUNTS)) {
    if (found.length >= limit) break;
    const after = filter.q === undefined ? afterOf(filter) : undefined;
    const wish = {
      limit: limit - found.length,
      ...(filter.q === undefined ? {} : { text: filter.q }),
      ...(after === undefined ? {} : { after }),
    };
    const listed = await members.list(keyOf(account), wish);
    found.push(...listed.members.map((member) => ({ account, member })));
  }
  return found;
}

function afterOf({ page }: ListFilter): { createdAtMs: number; id: string } | undefined {
  const [, createdAtMs, id] = /^(\d{1,15})_([\w-]{1,64})$/.exec(page ?? "") ?? [];
  return createdAtMs === undefined || id === undefined ? undefined : { createdAtMs: Number(createdAtMs), id };
}

function keyOf({ appId, accountId }: InstallationKey): InstallationKey {
  return { appId, accountId };
}

export const MEMBERS_HEAD = ["id", "name", "phone", "status", "points", "debt", "account"] as const;

/**
 * Yields the rows of the export, account by account, masked as on the page: the members that a search found, or all pages of the list. A
 * search that may have found more members than `memberList` returns ends with `CUT`. Without a chosen account the export covers all
 * accounts that are not uninstalled.
 */
export async function* memberPieces(services: Services, filter: ListFilter): AsyncIterable<Piece> {
  let isCut = false;
  for (const account of await accountsOf(services, filter)) {
    const found = filter.q === undefined ? undefined : await services.members.list(keyOf(account), { text: filter.q, limit: PIECE_ROWS });
    if (found !== undefined) yield found.members.map((member) => cellsOf(account, member));
    if (found?.more) isCut = true;
    let after = afterOf(filter);
    for (let more = found === undefined; more; ) {
      const piece = await services.members.list(keyOf(account), { limit: PIECE_ROWS, ...(after === undefined ? {} : { after }) });
      yield piece.members.map((member) => cellsOf(account, member));
      after = piece.members.at(-1);
      more = piece.more;
    }
  }
  if (isCut) yield CUT;
}

function cellsOf({ accountId }: Installation, { id, name, phone, status, points, debtPoints }: ListedMember): Cell[] {
  return [id, maskedName(name), phone === undefined ? undefined : maskedPhone(phone), status, points, debtPoints, accountId];
}
