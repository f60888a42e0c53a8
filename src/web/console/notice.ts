import { type Content, html } from "../html.ts";

/** What has just happened, read aloud where a page is read aloud. */
export function noticeMarkup(said: string | undefined): Content {
  return said === undefined ? undefined : html`<div class="notice" data-notice data-kind="done" role="status">${said}</div>`;
}
