import type { Installation, InstallationKey } from "../../../accounts/installation.ts";
import { nextTurn } from "../../../kernel/clock.ts";
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

type Services = Pick<ConsoleServices, "installations"> & { members: Pick<ConsoleServices["members"], "list" | "isOn"> };
type Found = { account: Installation; member: ListedMember };
/** `more`: further members follow, or after a search may follow. */
type Listed = { found: readonly Found[]; more: boolean };

/** The maximum number of installations in one list. To see members of further accounts, a person chooses an account. */
const MOST_ACCOUNTS = 100;

/**
 * Draws the members of the chosen account, or the members that a search found. The members of all installations of an account stand in one
 * list. A search without a chosen account covers at most `MOST_ACCOUNTS` installations. Without a search, several accounts are drawn as a
 * choice. Names and phones are masked. The page of one member shows whole names and phones.
 */
export async function membersPage(services: Services, context: ConsoleContext, filter: ListFilter): Promise<ConsoleView> {
  const { say } = context;
  const title = say("Участники", "Members");
  const all = await accountsOf(services, filter);
  const accounts = all.slice(0, MOST_ACCOUNTS);
  const isOneAccount = accounts.every(({ accountId }) => accountId === accounts[0]?.accountId);
  const mustChoose = !isOneAccount && filter.q === undefined;
  const { found, more } = mustChoose ? { found: [], more: false } : await membersIn(services, accounts, filter);
  const last = found.at(-1)?.member;
  const off = await withoutProgramme(services, accounts);
  const offPanels = isOneAccount ? off.map((one) => offPanel(context, one, accounts.length > 1)) : [];
  const isAllOff = offPanels.length > 0 && offPanels.length === accounts.length;
  const isCut = all.length > accounts.length || (more && filter.q !== undefined);
  const list = listPage({
    say,
    address: "/console/members",
    filter,
    title,
    hint: say("Телефон, карта, почта или слово имени", "Phone, card, e-mail or a word of the name"),
    fields: ["q", "account"],
    head: [say("Участник", "Member"), say("Телефон", "Phone"), { sum: say("Баллы", "Points") }, say("Аккаунт", "Account")],
    rows: found.map((one) => memberRow(context, one)),
    ...(mustChoose ? { instead: accountChoice(context, accounts, off) } : isAllOff ? { instead: stacked(offPanels) } : {}),
    ...(filter.q === undefined && more && last !== undefined ? { next: `${last.createdAtMs}_${last.id}` } : {}),
  });
  return {
    page: "members",
    title,
    content: html`${list}${stacked([...(isCut ? [cutHint(context)] : []), ...(isAllOff && found.length === 0 ? [] : offPanels)])}`,
  };
}

function stacked(parts: readonly Markup[]): Markup {
  return html`<div class="stack">${parts}</div>`;
}

function cutHint({ say }: ConsoleContext): Markup {
  return html`<p class="hint">${say(
    "Возможно, это не все: уточните поиск или выберите аккаунт.",
    "There may be more: type more of the name, or choose an account.",
  )}</p>`;
}

function memberRow({ say }: ConsoleContext, { account, member }: Found): Markup {
  const { id, name, phone, points, debtPoints } = member;
  return html`<tr data-member="${id}"><td><a href="/console/members/${encodeURIComponent(id)}">${maskedName(name)}</a></td>
<td class="number">${phone === undefined ? undefined : maskedPhone(phone)}</td><td class="number sum" data-label="${say("Баллы", "Points")}">${points}${
    debtPoints > 0 ? html` <span class="tag red">${say(`долг ${debtPoints}`, `debt ${debtPoints}`)}</span>` : undefined
  }</td><td class="soft">${account.accountName}</td></tr>`;
}

async function withoutProgramme({ members }: Services, accounts: readonly Installation[]): Promise<Installation[]> {
  const asked = await Promise.all(accounts.map(async (account) => ({ account, on: await members.isOn(keyOf(account)) })));
  return asked.flatMap(({ account, on }) => (on ? [] : [account]));
}

function accountChoice({ say }: ConsoleContext, accounts: readonly Installation[], off: readonly Installation[]): Markup {
  return html`<section class="card"><p>${say("Выберите аккаунт или найдите участника.", "Choose an account, or search for a member.")}</p><ul>${[
    ...Map.groupBy(accounts, ({ accountId }) => accountId),
  ].map(
    ([accountId, ofAccount]) =>
      html`<li data-account="${accountId}"><a href="/console/members?account=${encodeURIComponent(accountId)}">${ofAccount[0]?.accountName}</a> <span class="soft">${accountId}</span>${
        ofAccount.every((one) => off.includes(one))
          ? html` <span class="tag">${say("программа выключена", "programme off")}</span>`
          : undefined
      }</li>`,
  )}</ul></section>`;
}

/** `isOneOfSeveral`: the account has several installations, so the words name the solution. */
function offPanel({ say }: ConsoleContext, { accountName, appId }: Installation, isOneOfSeveral: boolean): Markup {
  const solution = isOneOfSeveral ? ` (${appId})` : "";
  return html`<p class="panel amber">${say(
    `Программа аккаунта «${accountName}»${solution} выключена. Её включают на странице настроек в платформе.`,
    `The programme of the account “${accountName}”${solution} is off. It is switched on at the settings page inside the platform.`,
  )}</p>`;
}

/** Returns the installations of the chosen account. Without a choice: all installations that are not uninstalled. */
async function accountsOf({ installations }: Services, { accountId }: ListFilter): Promise<Installation[]> {
  const all = await installations();
  return all.filter((one) => (accountId === undefined ? one.state !== "uninstalled" : one.accountId === accountId));
}

/**
 * Returns at most `PAGE_ROWS` members. Without a search: those after the filter's `page`, the oldest first. All installations are read from
 * this place, because the next page begins at one place for all of them.
 */
async function membersIn({ members }: Services, accounts: readonly Installation[], filter: ListFilter): Promise<Listed> {
  const { q: text } = filter;
  const after = text === undefined ? afterOf(filter) : undefined;
  const wish = { limit: PAGE_ROWS, ...(text === undefined ? {} : { text }), ...(after === undefined ? {} : { after }) };
  const found: Found[] = [];
  let more = false;
  for (const account of accounts) {
    if (text !== undefined && found.length > PAGE_ROWS) break;
    await nextTurn();
    const listed = await members.list(keyOf(account), wish);
    found.push(...listed.members.map((member) => ({ account, member })));
    more ||= listed.more;
  }
  if (text === undefined) found.sort((one, other) => inOrder(one.member, other.member));
  return { found: found.slice(0, PAGE_ROWS), more: more || found.length > PAGE_ROWS };
}

/** Orders members as `memberList` does. */
function inOrder(one: ListedMember, other: ListedMember): number {
  if (one.createdAtMs !== other.createdAtMs) return one.createdAtMs - other.createdAtMs;
  return one.id < other.id ? -1 : 1;
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
    // There may be thousands of accounts without a member, and the reading of one gives other work no turn.
    await nextTurn();
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
