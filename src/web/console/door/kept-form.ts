import { html, type Markup } from "../../html.ts";
import type { Say } from "../../language.ts";
import { ownPath } from "../answers.ts";
import type { ConsoleView } from "../layout.ts";
import type { ConsoleSession } from "../session/session.ts";

/** A form that came after its session had ended. It is kept in the login's form, so that nothing typed is lost. */
export interface KeptForm {
  /** The address to which the form was sent. */
  path: string;
  fields: ReadonlyMap<string, string>;
}

const PATH = "kept";
const FIELD = "kept.";
/** The token of the session that has ended is of no more use. */
const OF_SESSION = "csrf";

/** Returns the form as it is kept. Undefined: the address is none of the console. */
export function keptForm(address: string, form: ReadonlyMap<string, string>): KeptForm | undefined {
  const path = ownPath(address);
  if (path === undefined) return undefined;
  return { path, fields: new Map([...form].filter(([name]) => name !== OF_SESSION)) };
}

/** Returns the kept form that the login's form has brought back. Undefined: there was none. */
export function broughtBack(login: ReadonlyMap<string, string>): KeptForm | undefined {
  const fields = [...login].flatMap(([name, value]): [string, string][] =>
    name.startsWith(FIELD) ? [[name.slice(FIELD.length), value]] : [],
  );
  return keptForm(login.get(PATH) ?? "", new Map(fields));
}

/** Draws the controls that bring a kept form through the login. */
export function keptControls({ path, fields }: KeptForm): Markup {
  return html`<input type="hidden" name="${PATH}" value="${path}">${[...fields].map(
    ([name, value]) => html`<input type="hidden" name="${FIELD}${name}" value="${value}">`,
  )}`;
}

/**
 * Draws the page after the login, which asks whether the kept form is to be sent. It is not sent by itself: hours may have passed, and
 * somebody else may have logged in.
 */
export function resumePage(say: Say, { path, fields }: KeptForm, { csrf }: ConsoleSession): ConsoleView {
  const title = say("Отправить то, что вы ввели?", "Send what you had typed?");
  const shown = SHOWN.flatMap(([name, ru, en]) => {
    const value = fields.get(name)?.trim() ?? "";
    return value === "" ? [] : [html`<dt>${say(ru, en)}</dt><dd>${value}</dd>`];
  });
  const content = html`<div class="head"><h1>${title}</h1></div><section class="card"><p>${say(
    "Сеанс закончился раньше, чем форма дошла. Ничего ещё не сделано.",
    "The session ended before the form arrived. Nothing has been done yet.",
  )}</p>${shown.length === 0 ? undefined : html`<dl class="facts">${shown}</dl>`}
<form method="post" action="${path}"><input type="hidden" name="csrf" value="${csrf}">${[...fields].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<div class="actions"><button class="primary">${say("Отправить", "Send")}</button><a class="button quiet" href="${path.replace(/\/[^/]*$/, "")}">${say(
    "Не отправлять, открыть страницу",
    "Open the page without sending",
  )}</a></div></form></section>`;
  return { page: "problem", title, content };
}

/** What a person has typed into one of the console's forms, in the order of the page. */
const SHOWN: readonly (readonly [name: string, ru: string, en: string])[] = [
  ["number", "Номер ФД", "Number in the drive"],
  ["sign", "ФП", "Fiscal sign"],
  ["time", "Время на чеке", "Time on the paper"],
  ["shift", "Смена", "Shift"],
  ["receipt", "Номер чека", "Number of the receipt"],
  ["sum", "Сумма", "Sum"],
  ["amount", "Сумма", "Sum"],
  ["points", "Баллы", "Points"],
  ["why", "Откуда это известно", "How it is known"],
  ["reason", "Причина", "Reason"],
];
