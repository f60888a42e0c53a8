import { html, type Markup } from "../../html.ts";
import { type Problem, problemWords } from "../../problem-words.ts";
import type { ConsoleContext, ConsoleView } from "../layout.ts";

/**
 * Draws a page that shows a problem. `back`: the page that the person should open next. When the address leads to nothing, a logged-in
 * person also gets a search form.
 */
export function problemPage(
  say: ConsoleContext["say"],
  problem: Problem,
  { back, isLoggedIn }: { back: string; isLoggedIn: boolean },
): { status: number; view: ConsoleView } {
  const { status, title, words } = problemWords(say, problem);
  const label = back === "/console/" ? say("На первую страницу", "To the first page") : say("Вернуться к странице", "Back to the page");
  const content = html`<div class="head"><h1>${title}</h1></div><div class="stack"><section class="card" data-problem="${problem}"><p>${words}</p><div class="actions"><a class="button primary" href="${back}">${label}</a></div></section>${isLoggedIn && problem === "nothing-here" ? search(say) : undefined}</div>`;
  return { status, view: { page: "problem", title, content } };
}

/** A person with a wrong address may find the operation by its number. */
function search(say: ConsoleContext["say"]): Markup {
  return html`<form class="card search single" method="get" action="/console/operations" role="search"><div class="field wide"><label for="find">${say("Найти операцию", "Find an operation")}</label><input id="find" name="q" type="search" autocomplete="off" maxlength="200"></div><div class="actions"><button class="primary">${say("Найти", "Find")}</button></div></form>`;
}
