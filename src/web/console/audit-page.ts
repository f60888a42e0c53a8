import type { AuditLine, AuditSearch } from "../../accounts/audit.ts";
import { WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import { dayAndHourAt } from "../amounts.ts";
import { type Content, html, type Markup } from "../html.ts";
import { auditWords, settingMeant } from "../words/audit-words.ts";
import type { Cell } from "./export/csv.ts";
import type { ListFilter } from "./filter.ts";
import type { ConsoleContext, ConsoleView } from "./layout.ts";
import { listPage } from "./list-page.ts";
import { PAGE_ROWS } from "./operations-page.ts";
import { accountText, type PlaceNames, storeText } from "./places.ts";
import type { ConsoleServices } from "./services.ts";

/** Draws who has changed what, with the values before and after and the reason. */
export async function auditPage(services: ConsoleServices, context: ConsoleContext, filter: ListFilter): Promise<ConsoleView> {
  const { say } = context;
  const found = await services.audit({ ...auditSearchOf(filter), limit: PAGE_ROWS + 1 });
  const shown = found.slice(0, PAGE_ROWS);
  const last = shown.at(-1);
  const names = await services.namesOf(shown);
  const title = say("Кто что менял", "Audit");
  const content = listPage({
    say,
    address: "/console/audit",
    filter,
    title,
    hint: say(
      "Название настройки, кто менял или номер операции: касса, operator",
      "Name of a setting, who did it or an id: register, operator",
    ),
    fields: ["q", "from", "to", "account", "store"],
    head: [say("Время", "Time"), say("Кто", "Who"), say("Что", "What"), say("Было", "Before"), say("Стало", "After"), say("Почему", "Why")],
    rows: shown.map((line) => auditRow(context, line, names)),
    ...(found.length > PAGE_ROWS && last !== undefined ? { next: String(last.id) } : {}),
  });
  return { page: "audit", title, content };
}

/** Returns the search of the audit for a filter. A setting may be named by its words on the settings page. A position that is not valid is left out. */
export function auditSearchOf({ q, accountId, storeId, fromMs, toMs, page }: ListFilter): Omit<AuditSearch, "limit"> {
  return {
    ...(q === undefined ? {} : { text: settingMeant(q) ?? q }),
    ...(accountId === undefined ? {} : { accountId }),
    ...(storeId === undefined ? {} : { storeId }),
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
    ...(/^\d{1,15}$/.test(page ?? "") ? { beforeId: Number(page) } : {}),
  };
}

export const AUDIT_HEAD = ["id", "at", "who", "where", "act", "subject", "before", "after", "why", "account", "store"] as const;

export function auditCells(
  { id, atMs, actor, place, act, subject, before, after, reason, accountId, storeId }: AuditLine,
  zone: string,
): Cell[] {
  return [id, dayAndHourAt(atMs, zone), actor, place, act, subject, before, after, reason, accountId, storeId];
}

function auditRow({ say, zone }: ConsoleContext, line: AuditLine, names: PlaceNames): Markup {
  const { what, before, after } = auditWords(say, line);
  return html`<tr><td class="number">${dayAndHourAt(line.atMs, zone)}</td><td>${line.actor}<div class="hint">${placeText(say, line.place)}</div></td>
<td>${what} ${subjectLink(line)}<div class="hint">${placeWords(say, names, line)}</div></td><td data-label="${say("было", "before")}">${before}</td><td data-label="${say("стало", "after")}">${after}</td><td class="soft">${line.reason}</td></tr>`;
}

function subjectLink({ act, subject }: AuditLine): Content {
  if (act === "grant" || act === "erase") return html`<a href="/console/members/${encodeURIComponent(subject)}">${subject}</a>`;
  if (act === "refund") return html`<a href="/console/payments/${encodeURIComponent(subject)}">${subject}</a>`;
  // The words of the line name the setting already. An account has only one programme, so it needs no name.
  return act === "setting" || act === "programme" ? undefined : subject;
}

/** The account, and the point of sale unless the whole account is meant. */
function placeWords(say: ConsoleContext["say"], names: PlaceNames, line: AuditLine): string {
  const { storeId } = line;
  const store = storeId === WHOLE_ACCOUNT ? say("все точки продаж", "all points of sale") : storeText(names, line);
  return [accountText(names, line), store].filter((part) => part !== undefined).join(" / ");
}

function placeText(say: ConsoleContext["say"], place: string): string {
  const known: Record<string, string> = {
    page: say("на странице", "on a page"),
    command: say("командой", "by a command"),
    server: say("сервер сам", "the server itself"),
  };
  return known[place] ?? place;
}
