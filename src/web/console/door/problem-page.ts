import { html } from "../../html.ts";
import { type Problem, problemWords } from "../../problem-words.ts";
import type { ConsoleContext, ConsoleView } from "../layout.ts";

/** Draws a page that says why there is nothing to see, with the way back. `back`: the page that the person should open next. */
export function problemPage(say: ConsoleContext["say"], problem: Problem, back = "/console/"): { status: number; view: ConsoleView } {
  const { status, title, words } = problemWords(say, problem);
  const label = back === "/console/" ? say("На первую страницу", "To the first page") : say("Вернуться к странице", "Back to the page");
  const content = html`<div class="head"><h1>${title}</h1></div><section class="card" data-problem="${problem}"><p>${words}</p><div class="actions"><a class="button primary" href="${back}">${label}</a></div></section>`;
  return { status, view: { page: "problem", title, content } };
}
