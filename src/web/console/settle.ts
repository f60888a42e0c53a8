import type { Entry } from "../../journal/entry.ts";
import { isCash } from "../../model/document.ts";
import type { Explanation, HowToSettle } from "../../operator/explaining/explanation.ts";
import { parseReadOff } from "../../operator/settling/read-off-schema.ts";
import type { Obstacle, Statement } from "../../operator/settling/settle-by-hand.ts";
import { dayAndHour } from "../amounts.ts";
import { type Content, html, type Markup } from "../html.ts";
import type { Say } from "../language.ts";
import { comparisonItems } from "../words/comparison-words.ts";

/** The values that a person typed into one of the two forms, and what is wrong with them. */
export interface Typed {
  form: ReadonlyMap<string, string>;
  problem: { field?: string; words: string };
}

/** The names of the controls. The command `journal settle` has the same names. */
const FIGURES = ["number", "sign", "time", "shift", "receipt", "sum"] as const;
type Figure = (typeof FIGURES)[number];

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
    time: say("Время на чеке, 29.11.26 14:05", "Time on the paper, 29.11.26 14:05"),
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

/** The longest reason: one line of a record. */
const MAX_WHY = 500;

/** Returns the statement in a form, or what is wrong with the typed values. */
export function statementIn(say: Say, entry: Entry, form: ReadonlyMap<string, string>): Statement | Typed["problem"] {
  const why = form.get("why")?.trim() ?? "";
  if (why === "") return { field: "why", words: say("Напишите, откуда это известно.", "Say how you know.") };
  const common = { said: why.slice(0, MAX_WHY), unconfirmed: form.has("unconfirmed"), again: form.has("again") };
  if (form.has("refused")) return { claim: { kind: "refused" }, ...common };
  const isSlip = isCash(entry.document) || entry.document.kind === "x-report";
  const needed: readonly Figure[] = isSlip ? ["time", "shift"] : ["number", "sign", "time", "shift"];
  const texts = Object.fromEntries(FIGURES.flatMap((name) => (form.get(name)?.trim() ? [[name, form.get(name)?.trim()]] : [])));
  const missing = needed.find((name) => texts[name] === undefined);
  if (missing !== undefined)
    return { field: missing, words: say("Впишите всё, что стоит на чеке.", "Write everything that stands on the paper.") };
  const parsed = parseReadOff(texts);
  if (parsed.kind === "read") return { claim: { kind: "done", readOff: parsed.value }, ...common };
  const [field = ""] = parsed.problem.split(":");
  return {
    field,
    words: say("Так это поле не читается. Впишите его точно как на чеке.", `This cannot be read: ${parsed.problem}.`),
  };
}

/** Returns why nothing was settled. */
export function obstacleWords(say: Say, because: Obstacle): string {
  switch (because.code) {
    case "settled-by-person":
    case "no-doubt":
      return say("Уже решено: откройте операцию заново.", "It is settled already: open the operation again.");
    case "corrected-since":
      return say(`Документ уже исправлен записью ${because.correction.id}.`, `Entry ${because.correction.id} has corrected it since.`);
    case "register-said-otherwise":
    case "register-contradicts":
      return say(
        `Касса говорит другое: ${contradictionText(say, because)}. Ничего не решено.`,
        `The register says otherwise: ${contradictionText(say, because)}. Nothing was settled.`,
      );
    case "register-silent":
      return say(
        "Касса не смогла ответить. Включите её и повторите, или посмотрите дважды и отметьте «верить мне одному».",
        "The register could not answer. Switch it on and repeat, or look twice and let your word alone count.",
      );
    case "figures-impossible":
      return say(
        `Это не может быть этот документ (${because.problem.code}). Проверьте цифры.`,
        `This cannot be the document (${because.problem.code}). Check the figures.`,
      );
    case "identity-unknown":
      return say(
        "Касса этому серверу неизвестна: решите командой journal settle с --identity.",
        "The register is unknown here: use the command journal settle with --identity.",
      );
  }
}

function contradictionText(say: Say, because: Extract<Obstacle, { code: "register-said-otherwise" | "register-contradicts" }>): string {
  if (because.code === "register-said-otherwise") return say("так она ответила раньше", "so it answered earlier");
  const { contradiction } = because;
  switch (contradiction.code) {
    case "slip":
      return contradiction.wasMade
        ? say("по ящику документ пробит", "by its drawer it was made")
        : say("по ящику документа нет", "by its drawer it was not made");
    case "is-this-operation":
    case "other-sum":
    case "misread": {
      const { documentNumber, fiscalSign, time } = contradiction.facts;
      return say(
        `ФД № ${documentNumber}, ФП ${fiscalSign}, ${dayAndHour(time)}`,
        `document ${documentNumber}, sign ${fiscalSign}, ${dayAndHour(time)}`,
      );
    }
    case "absent":
      return say(`ФД № ${contradiction.number} в накопителе нет`, `its drive has no document ${contradiction.number}`);
    case "foreign":
    case "other-kind":
    case "of-other-operation":
    case "other-settlement":
      return say(`ФД № ${contradiction.number} — другой документ`, `document ${contradiction.number} is another one`);
  }
}
