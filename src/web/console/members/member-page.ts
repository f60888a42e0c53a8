import type { InstallationKey } from "../../../accounts/installation.ts";
import type { MemberStory } from "../../../operator/loyalty/member-story.ts";
import { dayAndHourAt } from "../../amounts.ts";
import { facts, field, problemOf, reasonField } from "../../fields.ts";
import { type Content, html, type Markup } from "../../html.ts";
import { shownPart } from "../../shown-part.ts";
import { entryActorWords, entryWords, lotWords, newestOnlyWords } from "../../words/member-words.ts";
import type { ConsoleContext, ConsoleView } from "../layout.ts";
import { noticeMarkup } from "../notice.ts";

export interface MemberParts {
  key: InstallationKey;
  /** The name of the account, or the account's id when the name is unknown. */
  accountName: string;
  story: MemberStory;
  /** Absent: the member was erased. */
  person?: { name: string; phone?: string };
}

export interface MemberForm {
  act: "grant" | "erase";
  typed: ReadonlyMap<string, string>;
  problem: { field: "points" | "reason" | "sure"; words: string };
}

/** The maximum number of rows of a list: the newest entries, or the oldest lots with points. The command `loyalty history` prints all. */
export const MOST_ROWS = 200;

/** Draws a member's lots, entries and possible acts. `said`: the result of the last act. `trouble`: why the act did nothing. */
export function memberPage(
  context: ConsoleContext,
  parts: MemberParts,
  { form, said, trouble }: { form?: MemberForm; said?: string; trouble?: string } = {},
): ConsoleView {
  const { say } = context;
  const { key, story, person } = parts;
  const { row, balance, tier } = story;
  const title = person?.name ?? say("Стёртый участник", "Erased member");
  const content = html`<div data-member="${row.id}"><div class="head"><a class="back" href="/console/members?account=${key.accountId}">${say(
    "← Участники",
    "← Members",
  )}</a><h1>${title}</h1><p class="soft number">${person?.phone}</p></div>
${noticeMarkup(said)}${noticeMarkup(trouble, "error")}
<div class="story"><div class="stack">
<section class="card"><h2>${say("На счёте", "Balance")}</h2>${facts([
    [say("Можно потратить", "Can be spent"), balance.availablePoints],
    [say("Станут доступны позже", "Pending"), balance.pendingPoints === 0 ? undefined : balance.pendingPoints],
    [say("Долг", "Debt"), balance.debtPoints === 0 ? undefined : balance.debtPoints],
    [say("Уровень", "Tier"), tier ?? undefined],
  ])}</section>
${entriesCard(context, story)}
</div><div class="stack">
${person === undefined ? undefined : grantForm(context, story, form)}
${lotsCard(context, story)}
<section class="card"><h2>${say("Данные", "Data")}</h2>${facts([
    [say("Участник", "Member"), row.id],
    [say("Участвует с", "Member since"), dayAndHourAt(row.created_at_ms, context.zone)],
    [say("Аккаунт", "Account"), parts.accountName],
  ])}</section>
${person === undefined ? undefined : eraseForm(context, row.id, form)}
</div></div></div>`;
  return { page: "member", title, content };
}

function entriesCard({ say, zone }: ConsoleContext, { entries }: MemberStory): Markup {
  const shown = entries.toReversed().slice(0, MOST_ROWS);
  return html`<section class="card"><h2>${say("История", "History")}</h2>${
    shown.length === 0
      ? html`<p class="soft">${say("Движений не было.", "Nothing has moved.")}</p>`
      : html`<ol class="operations">${shown.map(
          ({
            entry,
            document,
          }) => html`<li><div>${entryWords(say, entry.kind)}</div><div class="number">${entry.points > 0 ? "+" : ""}${entry.points}</div>
<div class="soft number">${dayAndHourAt(entry.at_ms, zone)} · ${entryActorWords(say, entry.actor)}</div>${
            entry.reason === null ? undefined : html`<p class="wide hint">${shownPart(say, entry.reason)}</p>`
          }${document === undefined ? undefined : html`<p class="wide hint"><a href="/console/operations/${document}">${document}</a></p>`}</li>`,
        )}</ol>${shown.length < MOST_ROWS ? undefined : html`<p class="hint">${newestOnlyWords(say, MOST_ROWS)}</p>`}`
  }</section>`;
}

function lotsCard({ say, zone }: ConsoleContext, { lots }: MemberStory): Content {
  const left = lots.filter(({ remaining }) => remaining > 0).slice(0, MOST_ROWS);
  if (left.length === 0) return undefined;
  return html`<section class="card"><h2>${say("Из чего они состоят", "What it consists of")}</h2><ol class="operations">${left.map(
    ({ kind, original, remaining, activeFromMs, expiresAtMs }) =>
      html`<li><div>${lotWords(say, kind)}</div><div class="number">${remaining}${
        remaining === original ? undefined : html` <span class="soft">${say("из", "of")} ${original}</span>`
      }</div><div class="soft number">${say("с", "from")} ${dayAndHourAt(activeFromMs, zone)}${
        expiresAtMs === null ? undefined : html` ${say("до", "until")} ${dayAndHourAt(expiresAtMs, zone)}`
      }</div></li>`,
  )}</ol></section>`;
}

function grantForm({ say, session }: ConsoleContext, { row, entries }: MemberStory, form: MemberForm | undefined): Markup {
  const own = form?.act === "grant" ? form : undefined;
  return html`<section class="card" id="grant"><h2>${say("Начислить или снять", "Grant or deduct")}</h2>
<form method="post" action="/console/members/${encodeURIComponent(row.id)}/grant"><input type="hidden" name="csrf" value="${session.csrf}"><input type="hidden" name="seen" value="${
    entries.at(-1)?.entry.number ?? 0
  }"><div class="fields">${field(say, {
    name: "points",
    label: say("Баллы", "Points"),
    value: own?.typed.get("points") ?? "",
    hint: say("Целое число, с минусом — снять.", "A whole number; a negative one deducts."),
    short: true,
    ...problemOf(own, "points"),
    kind: { type: "text", maxLength: 9 },
  })}${reasonField(say, own, { hint: kept(say) })}</div><div class="actions"><button class="primary" data-action="grant">${say("Записать", "Book")}</button></div></form></section>`;
}

/** The console has no script for a second question. So the person ticks a box before the erasure. */
function eraseForm({ say, session }: ConsoleContext, id: string, form: MemberForm | undefined): Markup {
  const own = form?.act === "erase" ? form : undefined;
  const isWrong = own?.problem.field === "sure";
  return html`<details class="card" id="erase"${own === undefined ? undefined : html` open`}><summary>${say("Стереть данные участника", "Erase the member's data")}</summary>
<p class="soft">${say(
    "По просьбе покупателя: имя, телефон, почта, карта и день рождения. Вернуть их нельзя, история баллов останется.",
    "At the buyer's request: name, phone, e-mail, card and birthday. They cannot be brought back; the history of points stays.",
  )}</p>
<form method="post" action="/console/members/${encodeURIComponent(id)}/erase"><input type="hidden" name="csrf" value="${session.csrf}"><div class="fields">${reasonField(say, own, { hint: kept(say), idPrefix: "erase-" })}</div>
<label class="check"><input type="checkbox" name="sure" value="1"${isWrong ? html` aria-invalid="true" aria-describedby="sure-error" autofocus` : undefined}> ${say(
    "Стереть без возврата",
    "Erase it for good",
  )}</label>${isWrong ? html`<p class="wrong" id="sure-error" data-error>${own.problem.words}</p>` : undefined}
<div class="actions"><button class="danger" data-action="erase">${say("Стереть", "Erase")}</button></div></form></details>`;
}

function kept(say: ConsoleContext["say"]): string {
  return say("Останется в списке «Кто что менял».", "Stays in the audit.");
}
