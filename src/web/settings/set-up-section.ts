import type { SetUpStanding } from "../../operator/settings/change-settings.ts";
import { told } from "../fields.ts";
import { html, type Markup } from "../html.ts";
import type { Say } from "../language.ts";

export interface Missing {
  /** True: no point of sale has a register, and there is no default register. */
  register: boolean;
  /** True: the set-up is complete, but the platform was not informed yet. */
  untold: boolean;
  /** Why the server cannot check signatures of fiscal requests. Absent: no problem. */
  keyProblem?: string;
}

/** Draws the missing parts of the set-up. Undefined: none. */
export function missingSection(say: Say, missing: Missing, mayChange: boolean): Markup | undefined {
  if (!missing.register && !missing.untold && missing.keyProblem === undefined) return undefined;
  const register = say(
    "Решение ещё не работает: ни у одной точки продаж нет кассы. Выберите точку и укажите её кассу.",
    "The solution does not work yet: no point of sale has a register. Choose one and set its register up.",
  );
  const untold = say("Настройка закончена, но платформа об этом ещё не знает.", "Everything is set, but the platform does not know yet.");
  const key = say(
    "Платформа прислала ключ, который не подходит: чеки не принимаются. Переустановите решение.",
    "The platform's key cannot be used: receipts are refused. Install the solution anew.",
  );
  return html`<div class="panel amber" id="missing" data-missing>
${missing.register ? html`<p>${register}</p>` : undefined}
${missing.untold ? html`<p>${untold}</p>` : undefined}
${missing.untold && mayChange ? html`<div class="actions"><button type="button" class="small" hx-post="/settings/activation" hx-target="#missing" hx-swap="outerHTML">${say("Сообщить платформе", "Tell the platform")}</button></div>` : undefined}
${missing.keyProblem === undefined ? undefined : html`<p>${key}</p>`}
</div>`;
}

/**
 * Draws the set-up words on the page of a point of sale. `beside`: the words are sent together with another part, and replace their old
 * version on the page.
 */
export function missingPlace(say: Say, missing: Missing, mayChange: boolean, beside = false): Markup {
  return html`<div id="missing-place"${beside ? html` hx-swap-oob="true"` : undefined}>${missingSection(say, missing, mayChange)}</div>`;
}

/**
 * Returns the words about the set-up after a setting was changed. Undefined: the set-up is still incomplete, or the installation does not
 * wait for it.
 */
export function setUpWords(say: Say, setUp: SetUpStanding): Markup | undefined {
  switch (setUp.kind) {
    case "activated":
      return told("done", say("Сохранено. Настройка закончена, решение работает.", "Saved. The set-up is complete, the solution works."));
    case "not-told":
      return told(
        "error",
        say(
          "Сохранено, но платформа не ответила, и решение ещё не работает. Повторите на странице точек продаж.",
          "Saved, but the platform did not answer. Tell it again on the page of the points of sale.",
        ),
      );
    case "incomplete":
    case "not-waiting":
      return undefined;
  }
}
