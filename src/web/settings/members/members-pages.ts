import { dayAndHourAt } from "../../amounts.ts";
import { type Field, field, MAX_REASON } from "../../fields.ts";
import { type Content, html, type Markup } from "../../html.ts";
import type { Say } from "../../language.ts";
import { pageLink, type View } from "../../layout.ts";
import { entryActorWords, entryWords, newestOnlyWords } from "../../words/member-words.ts";
import type { PageContext } from "../context.ts";
import { loyaltyOff } from "../loyalty/loyalty-switch.ts";
import type { MembersPart, ShownPerson } from "../members-part.ts";

type Listing = Awaited<ReturnType<MembersPart["list"]>>;
type Story = Awaited<ReturnType<MembersPart["story"]>>;

const BASE = "/settings/members";

/** Draws the members that a search found, or the oldest members. `isOn`: tills use the programme. */
export function membersView({ say, mayChange }: PageContext, { members, more }: Listing, search: string, isOn: boolean): View {
  const title = say("Участники программы", "Members of the programme");
  const rows = members.map(({ id, name, phone, points, debtPoints }) => {
    const label = html`<span><strong>${name}</strong><br><small class="soft number">${phone}</small></span><span class="number">${pointsWords(say, points)}${
      debtPoints > 0 ? html` <span class="tag red">${say(`долг ${debtPoints}`, `debt ${debtPoints}`)}</span>` : undefined
    }</span>`;
    return html`<li data-member="${id}">${pageLink(`${BASE}/${encodeURIComponent(id)}`, label)}</li>`;
  });
  const found: Content =
    rows.length === 0
      ? html`<div class="card"><p class="soft">${search === "" ? say("Участников пока нет.", "There are no members yet.") : say("Никого не нашлось.", "Nobody was found.")}</p></div>`
      : html`<ul class="rows">${rows}</ul>`;
  const content = html`<div class="head"><h1>${title}</h1></div><div class="stack">
${isOn ? undefined : loyaltyOff(say, mayChange)}
<form class="card" hx-get="${BASE}" hx-target="#main" hx-swap="innerHTML" role="search"><div class="fields">${field(say, {
    name: "q",
    label: say("Имя, телефон или карта", "Name, phone or card"),
    value: search,
    kind: { type: "text", maxLength: 100 },
  })}</div><div class="actions"><button type="submit">${say("Найти", "Search")}</button></div></form>
${found}
${more ? html`<p class="hint">${say("Показаны не все: уточните поиск.", "There are more: type more of the name.")}</p>` : undefined}
</div>`;
  return { page: "members", title, content };
}

export function pointsWords(say: Say, points: number): string {
  return say(`${points} б.`, `${points} points`);
}

export interface GrantForm {
  points: string;
  reason: string;
  problems: ReadonlyMap<string, Content>;
}

export interface MemberParts {
  story: Story;
  /** Absent: the member was erased. */
  person?: ShownPerson;
  zone: string;
}

/** The maximum number of entries in the history: the newest ones. The command `loyalty history` prints all. */
export const MOST_ROWS = 200;

export function memberView(context: PageContext, parts: MemberParts): View {
  const { say } = context;
  const title = parts.person?.name ?? say("Стёртый участник", "Erased member");
  const head = html`<div class="head">${pageLink(BASE, say("← Участники", "← Members"), "back")}<h1>${title}</h1><p class="soft number">${parts.person?.phone}</p></div>`;
  return { page: "member", title, content: html`${head}${memberPart(context, parts)}` };
}

/** Draws the part of a member's page that a grant replaces. */
export function memberPart(context: PageContext, { story, person, zone }: MemberParts, form?: GrantForm, said?: Markup): Markup {
  const { say, mayChange } = context;
  const { row, balance, tier, entries } = story;
  const newest = entries.at(-1)?.entry.number ?? 0;
  const shown = entries.toReversed().slice(0, MOST_ROWS);
  return html`<div class="stack" id="member" data-member="${row.id}">${said}
<section class="card"><h2>${say("На счёте", "Balance")}: <span class="number">${pointsWords(say, balance.availablePoints)}</span></h2>${
    balance.debtPoints > 0 ? html`<p class="wrong">${say(`Долг: ${balance.debtPoints}`, `Debt: ${balance.debtPoints}`)}</p>` : undefined
  }${tier === null ? undefined : html`<p class="soft">${say("Уровень", "Tier")}: ${tier}</p>`}</section>
${person === undefined || !mayChange ? undefined : grantForm(say, row.id, newest, form)}
<section class="card"><h2>${say("История", "History")}</h2>${
    entries.length === 0
      ? html`<p class="soft">${say("Движений не было.", "Nothing has moved.")}</p>`
      : html`<ol class="operations">${shown.map(({ entry, document }) => entryRow(say, entry, document, zone))}</ol>${shown.length < MOST_ROWS ? undefined : html`<p class="hint">${newestOnlyWords(say, MOST_ROWS)}</p>`}`
  }</section>
${person === undefined || !mayChange ? undefined : eraseForm(say, row.id)}
</div>`;
}

function entryRow(say: Say, entry: Story["entries"][number]["entry"], document: string | undefined, zone: string): Markup {
  return html`<li><div>${entryWords(say, entry.kind)}</div><div class="number">${entry.points > 0 ? "+" : ""}${entry.points}</div>
<div class="soft number">${dayAndHourAt(entry.at_ms, zone)} · ${entryActorWords(say, entry.actor)}</div><div></div>${
    entry.reason === null && document === undefined ? undefined : html`<p class="wide hint">${entry.reason ?? undefined} ${document}</p>`
  }</li>`;
}

function grantForm(say: Say, id: string, newest: number, form?: GrantForm): Markup {
  const problem = (name: string): Pick<Field, "problem"> => {
    const words = form?.problems.get(name);
    return words === undefined ? {} : { problem: words };
  };
  return html`<section class="card"><h2>${say("Начислить или снять", "Grant or deduct")}</h2>
<form hx-post="${BASE}/${encodeURIComponent(id)}/grant" hx-target="#member" hx-swap="outerHTML" hx-sync="this:drop" novalidate><fieldset>
<input type="hidden" name="seen.entry" value="${newest}"><div class="fields">${field(say, {
    name: "points",
    label: say("Баллы", "Points"),
    value: form?.points ?? "",
    hint: say("Целое число, с минусом — снять.", "A whole number; a negative one deducts."),
    short: true,
    ...problem("points"),
    kind: { type: "text", maxLength: 9 },
  })}${field(say, {
    name: "reason",
    label: say("Причина", "Reason"),
    value: form?.reason ?? "",
    hint: say("Останется в истории участника.", "Stays in the member's history."),
    ...problem("reason"),
    kind: { type: "text", maxLength: MAX_REASON },
  })}</div><div class="actions"><button type="submit" class="primary" data-action="grant">${say("Записать", "Book")}</button></div></fieldset></form></section>`;
}

function eraseForm(say: Say, id: string): Markup {
  const question = say(
    "Стереть имя, телефон и карту участника? Вернуть их нельзя, история баллов останется.",
    "Erase the member's name, phone and card? They cannot be brought back; the history of points stays.",
  );
  return html`<section class="card"><h2>${say("Стереть данные", "Erase the data")}</h2><p class="soft">${say(
    "По просьбе покупателя: имя, телефон, почта, карта и день рождения.",
    "At the buyer's request: name, phone, e-mail, card and birthday.",
  )}</p><div class="actions"><button type="button" data-action="erase" hx-post="${BASE}/${encodeURIComponent(id)}/erase" hx-target="#main" hx-swap="innerHTML" hx-confirm="${question}">${say("Стереть", "Erase")}</button></div></section>`;
}
