import type { Entry } from "../../journal/entry.ts";
import type { Explanation, HowToSettle } from "../../operator/explaining/explanation.ts";
import { type Content, html, type Markup } from "../html.ts";
import type { Say } from "../language.ts";
import { figureFields, isBesideControl, whyField } from "../settle-fields.ts";
import type { Typed } from "../settle-statement.ts";
import { comparisonItems } from "../words/comparison-words.ts";

/** Draws the forms of the decision: the person looks at the register, then chooses one of two results. */
export function settleForms(say: Say, parts: { entry: Entry; explanation: Explanation; csrf: string; typed?: Typed }): Markup {
  const { explanation, typed } = parts;
  const content = html`${explanation.next.kind === "settle" ? comparisonList(say, explanation.next) : undefined}
${typed === undefined || isBesideControl(parts.entry, typed) ? undefined : html`<p class="panel red" data-error role="alert">${typed.problem.words}</p>`}
<div class="two">
${doneForm(say, parts)}
${refusedForm(say, parts)}
</div>`;
  if (explanation.settledByHand === undefined)
    return html`<section class="card" data-action="settle" id="settle"><h2>${settleTitle(say, false)}</h2>
${content}</section>`;
  return html`<details class="card" data-action="settle" id="settle"${typed === undefined ? undefined : html` open`}><summary>${settleTitle(say, true)}</summary>
${content}</details>`;
}

function comparisonList(say: Say, { comparison }: HowToSettle): Content {
  if (comparison === undefined) return undefined;
  return html`<p>${say("Найдите на ленте или в архиве кассы документ с тем же содержанием:", "Look on the paper or in the register's archive for a document with the same content:")}</p>
${comparisonItems(say, comparison)}`;
}

type FormParts = { entry: Entry; explanation: Explanation; csrf: string; typed?: Typed };

function doneForm(say: Say, { entry, explanation, csrf, typed }: FormParts): Markup {
  const place = { typed: typedInto("done", typed), idPrefix: "settle-done-" };
  return html`<form method="post" action="/console/operations/${entry.id}/settle"><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="done" value="1">${again(explanation)}
<h3>${resultWords(say, "done")}</h3>
${figureFields(say, entry, place)}
${whyField(say, place)}
${unconfirmedBox(say, "done", typed)}
<div class="actions"><button class="primary">${say("Пробит: спросить кассу и завершить", "Registered: ask the register and end it")}</button></div></form>`;
}

function refusedForm(say: Say, { entry, explanation, csrf, typed }: FormParts): Markup {
  return html`<form method="post" action="/console/operations/${entry.id}/settle"><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="refused" value="1">${again(explanation)}
<h3>${resultWords(say, "refused")}</h3>
<p class="hint">${say("Кассир сможет повторить операцию: она будет пробита.", "The cashier can repeat the operation then, and it is registered.")}</p>
${whyField(say, { typed: typedInto("refused", typed), idPrefix: "settle-refused-" })}
${unconfirmedBox(say, "refused", typed)}
<div class="actions"><button class="primary">${say("Не пробит: спросить кассу и завершить", "Not registered: ask the register and end it")}</button></div></form>`;
}

/**
 * Marks a form that replaces an earlier decision. A form without the mark never replaces a decision. So a repeated click on such a form
 * changes nothing.
 */
function again({ settledByHand }: Explanation): Content {
  return settledByHand === undefined ? undefined : html`<input type="hidden" name="again" value="1">`;
}

function typedInto(kind: "done" | "refused", typed: Typed | undefined): Typed | undefined {
  return typed?.form.has(kind) === true ? typed : undefined;
}

function unconfirmedBox(say: Say, kind: "done" | "refused", typed: Typed | undefined): Markup {
  const checked = typed?.form.has(kind) && typed.form.has("unconfirmed");
  return html`<label class="check"><input type="checkbox" name="unconfirmed" value="1"${checked ? html` checked` : undefined}> ${unconfirmedWords(say)}</label>`;
}

export function resultWords(say: Say, kind: "done" | "refused"): string {
  return kind === "done" ? say("Документ пробит", "It was registered") : say("Документа нет", "There is no such document");
}

export function unconfirmedWords(say: Say): string {
  return say("Касса не отвечает: верить мне одному", "The register does not answer: my word alone counts");
}

/** `isAgain`: the form replaces an earlier decision. */
export function settleTitle(say: Say, isAgain: boolean): string {
  return isAgain
    ? say("Заменить решение человека", "Replace a person's decision")
    : say("Решить, пробит ли документ", "Decide whether it was registered");
}
