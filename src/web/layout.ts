import type { Assets } from "./assets.ts";
import { type Content, html, type Markup } from "./html.ts";
import { type Language, sayIn } from "./language.ts";

/** The name of a page, as in `body[data-page]`. */
type PageName = "home" | "stores" | "store" | "operation" | "payments" | "payment" | "loyalty" | "members" | "member" | "problem";

/** The content of a page. It can replace other content without loading the whole page. */
export interface View {
  page: PageName;
  title: string;
  content: Content;
}

interface Frame {
  language: Language;
  assets: Assets;
  /** The origin of the page around the frame. The script sends messages only to it. */
  hostOrigin: string;
  /** The catalogue entry of the solution in this window. Absent: the host has not named it. */
  appId?: string;
  /** The account of the session. Absent: the page has no session. */
  accountId?: string;
  /** The token that proves that the page belongs to its session. Absent: the page has no session, and the script first begins one. */
  csrf?: string;
  links: readonly { page: PageName; address: string; label: string }[];
}

/** Returns the content with the page's name and title, as the script loads it. */
export function viewMarkup({ page, title, content }: View): Markup {
  return html`<div class="view" data-view="${page}" data-title="${title}">${content}</div>`;
}

/** Returns a whole document with the content, the navigation and the scripts. */
export function documentMarkup(frame: Frame, view: View): Markup {
  const { language, assets, hostOrigin, appId, accountId, csrf } = frame;
  const say = sayIn(language);
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content="${HTMX_CONFIG}">
<title>${view.title}</title>
<link rel="stylesheet" href="${assets.style.address}">
<script src="${assets.htmx.address}" defer></script>
<script src="${assets.typed.address}" type="module"></script>
<script src="${assets.page.address}" type="module"></script>
</head>
<body data-page="${view.page}" data-host="${hostOrigin}"${attribute("data-app", appId)}${attribute("data-account", accountId)}${attribute("data-csrf", csrf)}>
<a class="skip" href="#main">${say("К содержанию", "Skip to the content")}</a>
${navigation(frame, view.page)}
<div id="notice" class="notice" data-notice role="status" aria-live="polite"></div>
<main id="main" tabindex="-1">${viewMarkup(view)}</main>
${question(say)}
</body>
</html>
`;
}

function attribute(name: string, value: string | undefined): Content {
  if (value === undefined) return undefined;
  return html` ${name}="${value}"`;
}

/** Settings of htmx: no styles; no history, because the page is in a frame; 30 seconds for a request. */
const HTMX_CONFIG = JSON.stringify({ history: false, includeIndicatorCSS: false, defaultTimeout: 30_000 });

function navigation({ links, language }: Frame, page: PageName): Markup {
  const say = sayIn(language);
  return html`<header class="bar"><nav aria-label="${say("Разделы", "Sections")}"><ul>${links.map(
    (link) =>
      html`<li><a href="${link.address}" data-link="${link.page}" hx-get="${link.address}" hx-target="#main" hx-swap="innerHTML"${
        link.page === page ? html` aria-current="page"` : undefined
      }>${link.label}</a></li>`,
  )}</ul></nav></header>`;
}

/** Replaces `confirm`, which does nothing in a frame of another site. The script fills in the question. */
function question(say: ReturnType<typeof sayIn>): Markup {
  return html`<dialog id="question" aria-labelledby="question-words">
<p id="question-words"></p>
<form method="dialog" class="actions">
<button value="no" class="quiet">${say("Отмена", "Cancel")}</button>
<button value="yes" class="primary">${say("Продолжить", "Continue")}</button>
</form>
</dialog>`;
}

/** Returns a link that loads only the content of a page. */
export function pageLink(address: string, label: Content, className = ""): Markup {
  return html`<a href="${address}" class="${className}" hx-get="${address}" hx-target="#main" hx-swap="innerHTML">${label}</a>`;
}
