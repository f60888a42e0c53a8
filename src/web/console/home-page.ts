import type { EntryHead } from "../../journal/reading/head.ts";
import { isReadable, type Listed } from "../../journal/reading/unreadable.ts";
import type { ListedPayment } from "../../payments/listed-payment.ts";
import { dayAndHourAt } from "../amounts.ts";
import { type Content, drawnInSteps, html, type Markup } from "../html.ts";
import type { ConsoleContext, ConsoleView } from "./layout.ts";
import { operationRow, placeOf } from "./operations-page.ts";
import { paymentRow } from "./payments/payments-page.ts";
import { type PlaceNames, storeText } from "./places.ts";
import { lightFor, usersOf } from "./registers-page.ts";
import type { ConsoleServices, UnsentMessage, UnsoldPoints, WatchedRegister } from "./services.ts";

const MAX_ROWS = 20;

/** Draws the first page, the list of what needs a person. */
export async function homePage(services: ConsoleServices, context: ConsoleContext): Promise<ConsoleView> {
  const { say } = context;
  const [unfinished, registers, unsold, unknown, unpaid, points, unsent] = await Promise.all([
    services.journal.heads.unfinishedListed(),
    services.registers(),
    services.payments.unsold(MAX_ROWS),
    services.payments.search({ state: "unknown", limit: MAX_ROWS }),
    services.receiptsWithoutPayment(MAX_ROWS),
    services.pointsWithoutSale(MAX_ROWS),
    services.unsentAlerts(MAX_ROWS),
  ]);
  const names = await services.namesOf([
    ...unfinished.map(placeOf),
    ...unpaid.map(placeOf),
    ...unsold,
    ...unknown,
    ...points,
    ...usersOf(registers),
  ]);
  // An entry that cannot be read may be in doubt, and stops its register in any case.
  const doubts = unfinished.filter((entry) => !isReadable(entry) || entry.state === "in-doubt");
  const lights = await drawnInSteps(registers, (register) => ({ register, light: lightFor(context, register).light }));
  const troubled = (["red", "amber"] as const).flatMap((light) =>
    lights.filter((one) => one.light === light).map(({ register }) => register),
  );
  const title = say("Требует внимания", "Needs attention");
  const counts = [doubts, troubled, unsold, unknown, unpaid, points, unsent].map(({ length }) => length);
  const quiet = counts.every((count) => count === 0);
  const content = html`<div class="head"><h1>${title}</h1></div>
<div class="stack">
${quiet ? html`<p class="panel green">${say("Всё спокойно: сомнений нет, кассы в порядке.", "All is quiet: no doubts, and the registers are well.")}</p>` : undefined}
<form class="card search single" method="get" action="/console/operations" role="search"><div class="field wide"><label for="find">${say("Найти операцию", "Find an operation")}</label><input id="find" name="q" type="search" autocomplete="off" maxlength="200" aria-describedby="find-hint"></div><div class="actions"><button class="primary">${say("Найти", "Find")}</button></div><p class="hint" id="find-hint">${say(
    "Номер чека на кассе, номер ФД, сумма, идентификатор или день: 31, 204,80, 29.11.2026",
    "Number at the till, number in the drive, sum, id or day: 31, 204.80, 29.11.2026",
  )}</p></form>
${doubtSection(context, doubts, names)}
${registerSection(context, troubled, names)}
${paymentSection(context, say("Оплачено, а продажи нет", "Paid without a sale"), unsold, names)}
${paymentSection(context, say("Оплаты, о которых банк не сказал ясно", "Payments that the bank does not tell clearly"), unknown, names)}
${unpaidSection(context, unpaid, names)}
${pointsSection(context, points, names)}
${unsentSection(context, unsent)}
</div>`;
  return { page: "home", title, content };
}

function doubtSection(context: ConsoleContext, doubts: readonly Listed<EntryHead>[], names: PlaceNames): Content {
  const { say } = context;
  if (doubts.length === 0) return undefined;
  const shown = doubts.slice(0, MAX_ROWS);
  return html`<section class="card table"><h2>${say("Неизвестно, пробит ли документ", "Unknown whether it was registered")}</h2>
<p class="soft">${say("Касса ждёт: пока не решено, на ней больше ничего не пробивается.", "The register waits: nothing else is registered at it before this is settled.")}</p>
<table><tbody>${shown.map((entry) => operationRow(context, entry, names))}</tbody></table>
${doubts.length > shown.length ? html`<p><a href="/console/operations?state=in-doubt">${say("Все", "All")} (${doubts.length})</a></p>` : undefined}</section>`;
}

function registerSection(context: ConsoleContext, troubled: readonly WatchedRegister[], names: PlaceNames): Content {
  const { say } = context;
  if (troubled.length === 0) return undefined;
  return html`<section class="card"><h2>${say("Кассы", "Registers")}</h2><ul class="plain">${troubled
    .slice(0, MAX_ROWS)
    .map((one): Markup => {
      const { light, words, todo } = lightFor(context, one);
      return html`<li><span class="light" data-light="${light}">${words}</span> <span class="soft">${[one.usedBy === undefined ? undefined : storeText(names, one.usedBy), one.address].filter((part) => part !== undefined).join(" · ")}</span>${todo === undefined ? undefined : html`<div class="hint">${todo}</div>`}</li>`;
    })}</ul></section>`;
}

function unsentSection({ say, zone }: ConsoleContext, unsent: readonly UnsentMessage[]): Content {
  if (unsent.length === 0) return undefined;
  return html`<section class="card"><h2>${say("Не отправленные оповещения", "Alerts that could not be sent")}</h2>
<p class="soft">${say("Сервер пробует снова сам. Проверьте ALERT_CHANNEL, а у точки продаж — настройку «Куда сообщать о неполадках».", "The server tries again by itself. Check ALERT_CHANNEL, and the setting “Who is told of troubles” of the point of sale.")}</p>
<ul class="plain">${unsent.map((one): Markup => unsentRow(one, say, dayAndHourAt(one.sinceMs, zone)))}</ul></section>`;
}

function unsentRow({ kind, title, state, audience, attempts, problem }: UnsentMessage, say: ConsoleContext["say"], since: string): Markup {
  const which = state === "ends" ? say("закончилось", "is over") : say("началось", "has begun");
  const whom = audience === "owner" ? say("владельцу", "to the owner") : say("оператору", "to the operator");
  return html`<li data-alert="${kind}">${say(title.ru, title.en)}: ${which} ${since}, ${whom} <div class="hint">${say("Попыток", "Attempts")}: ${attempts}. ${problem}</div></li>`;
}

function paymentSection(context: ConsoleContext, title: string, payments: readonly ListedPayment[], names: PlaceNames): Content {
  if (payments.length === 0) return undefined;
  return html`<section class="card table"><h2>${title}</h2><table><tbody>${payments.map((payment) => paymentRow(context, payment, names))}</tbody></table></section>`;
}

function unpaidSection(context: ConsoleContext, unpaid: readonly Listed<EntryHead>[], names: PlaceNames): Content {
  if (unpaid.length === 0) return undefined;
  const { say } = context;
  return html`<section class="card table" data-unpaid><h2>${say("Чек с оплатой по QR, а оплаты нет", "A receipt paid by QR, and no payment")}</h2><table><tbody>${unpaid.map(
    (entry) => operationRow(context, entry, names),
  )}</tbody></table></section>`;
}

function pointsSection({ say, zone }: ConsoleContext, points: readonly UnsoldPoints[], names: PlaceNames): Content {
  if (points.length === 0) return undefined;
  return html`<section class="card table" data-unsold-points><h2>${say("Баллы движутся, а чека нет", "Points without a sale")}</h2><table><tbody>${points.map(
    (one) => {
      const { atMs, documentId, spent, earned, memberId } = one;
      return html`<tr><td class="number">${dayAndHourAt(atMs, zone)}</td><td>${documentId}</td>
<td class="number">${say(`списано ${spent}, начислено ${earned}`, `spent ${spent}, earned ${earned}`)}</td><td class="soft">${storeText(names, one)}</td><td>${
        memberId === undefined ? undefined : html`<a href="/console/members/${memberId}">${say("Участник", "Member")}</a>`
      }</td></tr>`;
    },
  )}</tbody></table></section>`;
}
