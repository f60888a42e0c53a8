import { type AuditLine, type AuditSearch, EVERY_ACCOUNT } from "../../accounts/audit.ts";
import { WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import { ENTRY_STATES } from "../../journal/states.ts";
import { dayAndHourAt } from "../amounts.ts";
import { type Content, html, type Markup } from "../html.ts";
import { shownPart } from "../shown-part.ts";
import { actorPlaceWords, auditWords, settingMeant } from "../words/audit-words.ts";
import type { Cell } from "./export/csv.ts";
import type { ListFilter } from "./filter.ts";
import type { ConsoleContext, ConsoleView } from "./layout.ts";
import { listPage } from "./list-page.ts";
import { PAGE_ROWS } from "./operations-page.ts";
import { accountText, type PlaceNames, storeText } from "./places.ts";
import type { ConsoleServices } from "./services.ts";

/** Draws one page of the audit, the newest line first. A line has the author, the act, the values before and after, and the reason. */
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
    rows: shown.map((line) => auditRow(context, shownLine(context, line), names)),
    ...(found.length > PAGE_ROWS && last !== undefined ? { next: String(last.id) } : {}),
  });
  return { page: "audit", title, content };
}

/**
 * Returns the audit search of a filter. `q`: a setting may be named by its words on the settings page (`settingMeant`). `page`: only lines
 * with a lower id are returned; an invalid id is ignored.
 */
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

/** Cuts the long texts of a line. */
function shownLine({ say }: ConsoleContext, { actor, subject, reason, ...line }: AuditLine): AuditLine {
  const cut = reason === undefined ? {} : { reason: shownPart(say, reason) };
  return { ...line, actor: shownPart(say, actor), subject: shownPart(say, subject), ...cut };
}

function auditRow({ say, zone }: ConsoleContext, line: AuditLine, names: PlaceNames): Markup {
  const { what, before, after } = auditWords(say, line);
  return html`<tr><td class="number">${dayAndHourAt(line.atMs, zone)}</td><td>${line.actor}<div class="hint">${actorPlaceWords(say, line)}</div></td>
<td>${what} ${subjectLink(say, line)}<div class="hint">${placeWords(say, names, line)}</div></td><td data-label="${say("было", "before")}">${before}</td><td data-label="${say("стало", "after")}">${after}</td><td class="soft">${line.reason}</td></tr>`;
}

/**
 * These acts are shown without their subject. The words for `setting` and `export` already name the setting or the list. Each of the other
 * acts changes a thing that an account has only once: the programme, the loyalty key, the member list or the installation.
 */
const WITHOUT_SUBJECT = ["setting", "programme", "key", "import", "installation", "export"];

function subjectLink(say: ConsoleContext["say"], { act, subject, before }: AuditLine): Content {
  const link = (list: string, words = subject) => html`<a href="/console/${list}/${encodeURIComponent(subject)}">${words}</a>`;
  if (WITHOUT_SUBJECT.includes(act)) return undefined;
  if (act === "grant" || act === "erase") return link("members");
  if (act === "refund") return link("payments");
  // The id of a report is the moment of its order, which means nothing to a person. So the link shows a word.
  if (act === "report") return link("operations", say("открыть", "open"));
  if (act === "correct") return link("operations");
  if (act === "settle") return link(ENTRY_STATES.some((state) => state === before) ? "operations" : "payments");
  return subject;
}

function placeWords(say: ConsoleContext["say"], names: PlaceNames, line: AuditLine): string {
  const { storeId } = line;
  if (line.accountId === EVERY_ACCOUNT) return say("все аккаунты", "all accounts");
  const store = storeId === WHOLE_ACCOUNT ? say("все точки продаж", "all points of sale") : storeText(names, line);
  return [accountText(names, line), store].filter((part) => part !== undefined).join(" / ");
}
