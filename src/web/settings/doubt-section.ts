import type { Entry } from "../../journal/entry.ts";
import type { Explanation } from "../../operator/explaining/explanation.ts";
import { dayAndHourAt } from "../amounts.ts";
import { html, type Markup } from "../html.ts";
import type { Say } from "../language.ts";
import { figureFields, isBesideControl, whyField } from "../settle-fields.ts";
import type { Typed } from "../settle-statement.ts";
import { comparisonItems } from "../words/comparison-words.ts";

export interface ShownDoubt {
  entry: Entry;
  explanation: Explanation;
  /** Why the result is unknown, in the cashier's words. Empty: the reason is unknown. */
  why: string;
  /** True when an administrator may settle the doubt here: nothing older waits, and the server's own attempts are over. */
  maySettle: boolean;
  typed?: Typed;
}

/** Draws the known facts, the next step, and the decision form when it is a person's turn. */
export function doubtSection(say: Say, storeId: string, doubt: ShownDoubt, zone: string): Markup {
  const { entry, explanation, why, maySettle } = doubt;
  const { waiting, next } = explanation;
  const isServers = waiting?.owner === "server";
  const turn = isServers
    ? say(
        `Сервер выясняет это сам, до ${dayAndHourAt(waiting.untilMs, zone)}. Подождите и не пробивайте заново.`,
        `The server looks into it itself until ${dayAndHourAt(waiting.untilMs, zone)}. Wait, and do not make it again.`,
      )
    : say(
        "Сервер узнать не смог: нужен человек. Пока не решено, касса не пробивает ничего, и заново пробивать нельзя.",
        "The server could not find out: a person is needed. Until then the register makes nothing; do not make it again.",
      );
  const comparison = next.kind === "settle" ? next.comparison : undefined;
  const look = html`<p>${say("Найдите на ленте или в архиве кассы документ с тем же содержанием:", "Look on the paper or in the register's archive for a document with the same content:")}</p>`;
  return html`<div class="wide panel amber" data-doubt><p>${say("Неизвестно, пробит ли документ.", "It is unknown whether this was registered.")}${
    why === "" ? undefined : html` ${say("Причина", "The reason")}: ${why}.`
  }</p><p class="ink">${turn}</p>
${isServers || comparison === undefined ? undefined : html`<div class="ink">${look}${comparisonItems(say, comparison)}</div>`}
${maySettle ? settleForm(say, storeId, entry, doubt) : isServers ? undefined : html`<p class="ink">${whomToAsk(say)}</p>`}</div>`;
}

function whomToAsk(say: Say): string {
  return say(
    "Решить может администратор платформы здесь или тот, кто ведёт сервер: скажите ему номер и время документа.",
    "An administrator settles it here, or whoever runs the server: tell them the document's number and time.",
  );
}

function settleForm(say: Say, storeId: string, entry: Entry, { typed }: ShownDoubt): Markup {
  const question = say(
    "Документа точно нет? Кассир сможет повторить операцию, и она будет пробита.",
    "Is there really no such document? The cashier can repeat the operation then, and it is registered.",
  );
  const address = `/settings/stores/${encodeURIComponent(storeId)}/operations/${entry.id}/settle`;
  const post = html` hx-post="${address}" hx-include="closest form" hx-target="#operations" hx-swap="outerHTML"`;
  return html`<form class="stack ink" id="settle" data-action="settle" hx-post="${address}" hx-target="#operations" hx-swap="outerHTML" hx-sync="this:drop" autocomplete="off" novalidate>
${typed === undefined || isBesideControl(entry, typed) ? undefined : html`<p class="panel red" data-error role="alert">${typed.problem.words}</p>`}
<div class="fields">${whyField(say, { typed })}</div>
<p><strong>${say("Если документ есть, впишите с чека:", "If there is one, write what stands on the paper:")}</strong></p>
<div class="fields">${figureFields(say, entry, { typed })}</div>
<div class="actions"><button type="submit" class="primary" name="done" value="1">${say("Документ пробит", "It was registered")}</button><button type="submit" name="refused" value="1"${post} hx-confirm="${question}">${say("Документа нет", "There is no such document")}</button></div>
<p class="hint">${say("Сервер сверит ответ с кассой. Если она не отвечает, решить может тот, кто ведёт сервер.", "The server compares this with the register. While the register is silent, whoever runs the server decides.")}</p></form>`;
}
