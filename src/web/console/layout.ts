import type { Assets } from "../assets.ts";
import { type Content, html, type Markup } from "../html.ts";
import { type Language, type Say, sayIn } from "../language.ts";
import type { ConsoleSession } from "./session/session.ts";

type ConsolePage =
  | "login"
  | "home"
  | "operations"
  | "operation"
  | "payments"
  | "payment"
  | "members"
  | "member"
  | "registers"
  | "agents"
  | "installations"
  | "totals"
  | "audit"
  | "problem";

export interface ConsoleContext {
  say: Say;
  language: Language;
  zone: string;
  nowMs: number;
  session: ConsoleSession;
}

export interface ConsoleView {
  page: ConsolePage;
  title: string;
  content: Content;
}

/** Returns a whole document. The console needs no script. */
export function consoleDocument(
  assets: Pick<Assets, "style">,
  language: Language,
  view: ConsoleView,
  session: ConsoleSession | undefined,
): Markup {
  const say = sayIn(language);
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${view.title}</title>
<link rel="stylesheet" href="${assets.style.address}">
</head>
<body data-page="${view.page}" class="console">
<a class="skip" href="#main">${say("К содержанию", "Skip to the content")}</a>
${session === undefined ? undefined : bar(say, view.page, session)}
<main id="main" tabindex="-1">${view.content}</main>
</body>
</html>
`;
}

function bar(say: Say, page: ConsolePage, { login, csrf }: ConsoleSession): Markup {
  const links: readonly [address: string, pages: readonly ConsolePage[], label: string][] = [
    ["/console/", ["home"], say("Требует внимания", "Needs attention")],
    ["/console/operations", ["operations", "operation"], say("Операции", "Operations")],
    ["/console/registers", ["registers"], say("Кассы", "Registers")],
    ["/console/agents", ["agents"], say("Агенты", "Agents")],
    ["/console/payments", ["payments", "payment"], say("Оплаты по QR", "QR payments")],
    ["/console/members", ["members", "member"], say("Участники", "Members")],
    ["/console/installations", ["installations"], say("Установки", "Installations")],
    ["/console/totals", ["totals"], say("Итоги", "Totals")],
    ["/console/audit", ["audit"], say("Кто что менял", "Audit")],
  ];
  return html`<header class="bar"><nav aria-label="${say("Разделы", "Sections")}"><ul>${links.map(
    ([address, pages, label]) =>
      html`<li><a href="${address}"${pages.includes(page) ? html` aria-current="page"` : undefined}>${label}</a></li>`,
  )}<li class="end"><form method="post" action="/console/logout"><input type="hidden" name="csrf" value="${csrf}"><button class="quiet small" title="${login}">${say("Выйти", "Log out")}</button></form></li></ul></nav></header>`;
}
