import { html, type Markup } from "../html.ts";
import type { Say } from "../language.ts";
import { pageLink, type View, viewMarkup } from "../layout.ts";
import { type Problem, problemWords } from "../problem-words.ts";
import { isPart, type Request } from "../requests.ts";

/** Draws a page in the frame that shows a problem, with a link back. */
export function problemView(say: Say, problem: Problem): View {
  const { title, words } = problemWords(say, problem);
  // Without a session no page opens, so there is no link back.
  const back =
    problem === "no-session" || problem === "unconfirmed"
      ? undefined
      : html`<p>${pageLink("/settings/stores", say("← Точки продаж", "← Points of sale"), "back")}</p>`;
  const content = html`<div class="head"><h1>${title}</h1></div><section class="card" data-problem="${problem}"><p>${words}</p>${back}</section>`;
  return { page: "problem", title, content };
}

/** Draws a problem for the place that the page's script replaces: the whole content, or a part of a form or list. */
export function problemPart(say: Say, problem: Problem, request: Request): Markup {
  if (request.method === "GET" && isPart(request) && /(^|#)main$/.test(String(request.headers["hx-target"] ?? "")))
    return viewMarkup(problemView(say, problem));
  const { title, words } = problemWords(say, problem);
  return html`<div class="panel red" data-problem="${problem}"><strong>${title}</strong><span class="ink">${words}</span></div>`;
}
