import type { Entry } from "../../journal/entry.ts";
import { isCash } from "../../model/document.ts";
import type { Explanation, HowToSettle } from "../../operator/explaining/explanation.ts";
import { type Content, html, type Markup } from "../html.ts";
import type { Say } from "../language.ts";
import { FIGURES, type Figure, MAX_WHY, type Typed } from "../settle-statement.ts";
import { comparisonItems } from "../words/comparison-words.ts";

/** Draws the forms of the decision: the person looks at the register, then states one of two results. */
export function settleForms(say: Say, parts: { entry: Entry; explanation: Explanation; csrf: string; typed?: Typed }): Markup {
  const { explanation, typed } = parts;
  const content = html`${explanation.next.kind === "settle" ? comparisonList(say, explanation.next) : undefined}
${typed === undefined ? undefined : html`<p class="panel red" data-error id="settle-problem">${typed.problem.words}</p>`}
<div class="two">
${doneForm(say, parts)}
${refusedForm(say, parts)}
</div>`;
  if (explanation.settledByHand === undefined)
    return html`<section class="card" data-action="settle" id="settle"><h2>${say("Решить, пробит ли документ", "Decide whether it was registered")}</h2>
${content}</section>`;
  return html`<details class="card" data-action="settle" id="settle"${typed === undefined ? undefined : html` open`}><summary>${say("Заменить решение человека", "Replace a person's decision")}</summary>
${content}</details>`;
}

function comparisonList(say: Say, { comparison }: HowToSettle): Content {
  if (comparison === undefined) return undefined;
  return html`<p>${say("Найдите на ленте или в архиве кассы документ с тем же содержанием:", "Look on the paper or in the register's archive for a document with the same content:")}</p>
${comparisonItems(say, comparison)}`;
}

type FormParts = { entry: Entry; explanation: Explanation; csrf: string; typed?: Typed };

function doneForm(say: Say, { entry, explanation, csrf, typed }: FormParts): Markup {
  const isSlip = isCash(entry.document) || entry.document.kind === "x-report";
  const label: Record<Figure, string> = {
    number: say("Номер ФД", "Document number"),
    sign: say("ФП (фискальный признак)", "Fiscal sign"),
    time: say("Время на чеке, например 29.11.26 14:05", "Time on the paper, such as 29.11.26 14:05"),
    shift: say("Номер смены", "Shift"),
    receipt: say("Номер чека в смене, если есть", "Receipt number in the shift, if there is one"),
    sum: say("Сумма на чеке, если она другая", "Sum on the paper, if it is another"),
  };
  const shown = isSlip ? (["time", "shift"] as const) : FIGURES;
  return html`<form method="post" action="/console/operations/${entry.id}/settle"><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="done" value="1">${again(explanation)}
<h3>${say("Документ пробит", "It was registered")}</h3>
${shown.map((name) => {
  const wrong = typed?.form.has("done") && typed.problem.field === name;
  return html`<div class="field"><label for="settle-${name}">${label[name]}</label><input id="settle-${name}" name="${name}" value="${
    typed?.form.has("done") ? (typed.form.get(name) ?? "") : ""
  }" autocomplete="off" maxlength="40"${wrong ? html` aria-invalid="true" aria-describedby="settle-problem" autofocus` : undefined}${
    name === "receipt" || name === "sum" ? undefined : html` required`
  }></div>`;
})}
${whyField(say, "done", typed)}
${unconfirmedBox(say, "done", typed)}
<div class="actions"><button class="primary">${say("Пробит: спросить кассу и завершить", "Registered: ask the register and end it")}</button></div></form>`;
}

function refusedForm(say: Say, { entry, explanation, csrf, typed }: FormParts): Markup {
  return html`<form method="post" action="/console/operations/${entry.id}/settle"><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="refused" value="1">${again(explanation)}
<h3>${say("Документа нет", "There is no such document")}</h3>
<p class="hint">${say("Кассир сможет повторить операцию: она будет пробита.", "The cashier can repeat the operation then, and it is registered.")}</p>
${whyField(say, "refused", typed)}
${unconfirmedBox(say, "refused", typed)}
<div class="actions"><button class="primary">${say("Не пробит: спросить кассу и завершить", "Not registered: ask the register and end it")}</button></div></form>`;
}

/** Marks a form that replaces an earlier decision. Without the mark a repeated click does not decide again. */
function again({ settledByHand }: Explanation): Content {
  return settledByHand === undefined ? undefined : html`<input type="hidden" name="again" value="1">`;
}

function whyField(say: Say, kind: "done" | "refused", typed: Typed | undefined): Markup {
  const value = typed?.form.has(kind) ? (typed.form.get("why") ?? "") : "";
  const wrong = typed?.form.has(kind) && typed.problem.field === "why";
  return html`<div class="field"><label for="settle-why-${kind}">${say("Откуда известно", "How you know")}</label><input id="settle-why-${kind}" name="why" value="${value}" autocomplete="off" maxlength="${MAX_WHY}" required${
    wrong ? html` aria-invalid="true" aria-describedby="settle-problem" autofocus` : undefined
  }></div>`;
}

function unconfirmedBox(say: Say, kind: "done" | "refused", typed: Typed | undefined): Markup {
  const checked = typed?.form.has(kind) && typed.form.has("unconfirmed");
  return html`<label class="check"><input type="checkbox" name="unconfirmed" value="1"${checked ? html` checked` : undefined}> ${say(
    "Касса не отвечает: верить мне одному",
    "The register does not answer: my word alone counts",
  )}</label>`;
}
