import type { AuditLine, AuditSearch } from "../../accounts/audit.ts";
import { dayAndHourAt } from "../amounts.ts";
import { type Content, html } from "../html.ts";
import type { Cell } from "./csv.ts";
import type { ListFilter } from "./filter.ts";
import type { ConsoleContext, ConsoleView } from "./layout.ts";
import { listPage } from "./list-page.ts";
import { PAGE_ROWS } from "./operations-page.ts";
import type { ConsoleServices } from "./services.ts";

/** Draws who has changed what, with the values before and after and the reason. */
export async function auditPage(services: ConsoleServices, { say, zone }: ConsoleContext, filter: ListFilter): Promise<ConsoleView> {
  const found = await services.audit({ ...auditSearchOf(filter), limit: PAGE_ROWS + 1 });
  const shown = found.slice(0, PAGE_ROWS);
  const last = shown.at(-1);
  const title = say("Кто что менял", "Audit");
  const content = listPage({
    say,
    address: "/console/audit",
    filter,
    title,
    hint: say("Что менялось или кто менял: register, operator", "What was changed, or who did it: register, operator"),
    fields: ["q", "from", "to", "account", "store"],
    head: [say("Время", "Time"), say("Кто", "Who"), say("Что", "What"), say("Было", "Before"), say("Стало", "After"), say("Почему", "Why")],
    rows: shown.map(
      (
        line,
      ) => html`<tr><td class="number">${dayAndHourAt(line.atMs, zone)}</td><td>${line.actor}<div class="hint">${placeText(say, line.place)}</div></td>
<td>${actText(say, line.act)} ${subjectLink(line)}<div class="hint">${line.accountId}${line.storeId === undefined ? undefined : ` / ${line.storeId}`}</div></td><td>${line.before}</td><td>${line.after}</td><td>${line.reason}</td></tr>`,
    ),
    ...(found.length > PAGE_ROWS && last !== undefined ? { next: String(last.id) } : {}),
  });
  return { page: "audit", title, content };
}

/** Returns the search of the audit for a filter. A position that is not valid is left out. */
export function auditSearchOf({ q, accountId, storeId, fromMs, toMs, page }: ListFilter): Omit<AuditSearch, "limit"> {
  return {
    ...(q === undefined ? {} : { text: q }),
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

function actText(say: ConsoleContext["say"], act: string): string {
  const known: Record<string, string> = {
    setting: say("Настройка", "Setting"),
    settle: say("Решение", "Decision"),
    refund: say("Возврат", "Refund"),
    grant: say("Баллы", "Points"),
    programme: say("Программа", "Programme"),
    erase: say("Стирание данных", "Erasure"),
    agent: say("Агент", "Agent"),
  };
  return known[act] ?? act;
}

function subjectLink({ act, subject }: AuditLine): Content {
  if (act === "grant" || act === "erase") return html`<a href="/console/members/${encodeURIComponent(subject)}">${subject}</a>`;
  if (act === "refund") return html`<a href="/console/payments/${encodeURIComponent(subject)}">${subject}</a>`;
  return subject;
}

function placeText(say: ConsoleContext["say"], place: string): string {
  const known: Record<string, string> = {
    page: say("на странице", "on a page"),
    command: say("командой", "by a command"),
    server: say("сервер сам", "the server itself"),
  };
  return known[place] ?? place;
}
