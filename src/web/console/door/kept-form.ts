import { facts } from "../../fields.ts";
import { html, type Markup } from "../../html.ts";
import type { Say } from "../../language.ts";
import { ownPath, pageOfForm } from "../answers.ts";
import type { ConsoleView } from "../layout.ts";
import type { ConsoleSession } from "../session/session.ts";
import { actRows } from "./kept-words.ts";

/** A form that came after its session had ended. The form of the login page carries its fields, so that nothing typed is lost. */
export interface KeptForm {
  kind: "kept";
  /** The form's target address. */
  path: string;
  fields: ReadonlyMap<string, string>;
}

/** A form that is too large for the login page to carry. */
export interface LostForm {
  kind: "lost";
  path: string;
}

const PATH = "kept";
const FIELD = "kept.";
/** The field of the session token. The form is carried without it, because the session has ended. */
const OF_SESSION = "csrf";

/**
 * The largest form that the login page carries: its fields, and the characters of their names and values. The console's largest form has
 * eleven fields and a text of 500 characters. Anybody may send a form, and the login page contains it, so it needs a limit.
 */
const MAX_FIELDS = 32;
const MAX_CHARACTERS = 4_096;

/** Returns the form for the login page to carry. `lost`: the form is too large. Undefined: the address is outside the console. */
export function keptForm(address: string, form: Iterable<readonly [string, string]>): KeptForm | LostForm | undefined {
  const path = ownPath(address);
  if (path === undefined) return undefined;
  const fields = new Map<string, string>();
  let characters = 0;
  for (const [name, value] of form) {
    if (name === OF_SESSION) continue;
    characters += name.length + value.length;
    if (fields.size >= MAX_FIELDS || characters > MAX_CHARACTERS) return { kind: "lost", path };
    fields.set(name, value);
  }
  return { kind: "kept", path, fields };
}

/** Returns the form that the login form carried. Undefined: it carried none, or a form for an address outside the console. */
export function broughtBack(login: ReadonlyMap<string, string>): KeptForm | LostForm | undefined {
  return keptForm(login.get(PATH) ?? "", carriedFields(login));
}

function* carriedFields(login: ReadonlyMap<string, string>): Iterable<[string, string]> {
  for (const [name, value] of login) if (name.startsWith(FIELD)) yield [name.slice(FIELD.length), value];
}

/** Draws the hidden controls that carry a form through the login. */
export function keptControls({ path, fields }: KeptForm): Markup {
  return html`<input type="hidden" name="${PATH}" value="${path}">${[...fields].map(
    ([name, value]) => html`<input type="hidden" name="${FIELD}${name}" value="${value}">`,
  )}`;
}

/**
 * Draws the page after the login that asks whether to send the carried form. The page does not send it by itself: hours may have passed,
 * and another person may have logged in. So it shows what the form does and everything that was typed.
 */
export function resumePage(say: Say, form: KeptForm, { csrf }: ConsoleSession): ConsoleView {
  const { path, fields } = form;
  const title = say("Отправить то, что вы ввели?", "Send what you had typed?");
  const texts = SHOWN.map(([name, ru, en]) => [say(ru, en), fields.get(name)?.trim()] as const);
  const content = html`<div class="head"><h1>${title}</h1></div><section class="card"><p>${say(
    "Сеанс закончился раньше, чем форма дошла. Ничего ещё не сделано.",
    "The session ended before the form arrived. Nothing has been done yet.",
  )}</p>${facts([...actRows(say, form), ...texts])}
<form method="post" action="${path}"><input type="hidden" name="csrf" value="${csrf}">${[...fields].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<div class="actions"><button class="primary">${say("Отправить", "Send")}</button><a class="button quiet" href="${pageOfForm(path)}">${say(
    "Не отправлять, открыть страницу",
    "Open the page without sending",
  )}</a></div></form></section>`;
  return { page: "problem", title, content };
}

/** The typed texts, in the order of the page. `actRows` shows the choices, the ticked boxes and the fields of an agent's form. */
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
