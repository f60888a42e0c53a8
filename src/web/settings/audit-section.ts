import type { ReadAudit } from "../../accounts/audit.ts";
import { settingNamed } from "../../accounts/settings-schema.ts";
import { dayAndHourAt } from "../amounts.ts";
import { type Content, html } from "../html.ts";
import type { Say } from "../language.ts";
import { valueWords } from "./settings-section.ts";
import { SETTING_WORDS } from "./words/setting-words.ts";

/** Draws who has changed what, the newest change first. Undefined when nothing was changed. */
export function auditSection(say: Say, lines: readonly ReadAudit[], zone: string): Content {
  if (lines.length === 0) return undefined;
  return html`<details class="card"><summary>${say("Кто что менял", "Who has changed what")}</summary><ol class="operations">${lines.map(
    (line) => html`<li><div>${whatWords(say, line)}</div><div class="soft number">${dayAndHourAt(line.atMs, zone)}</div>
<div class="wide hint">${shownValue(say, line, line.before)} → ${shownValue(say, line, line.after)} · ${line.actor}</div>${line.reason === undefined ? undefined : html`<div class="wide">${line.reason}</div>`}</li>`,
  )}</ol></details>`;
}

function whatWords(say: Say, { act, subject }: ReadAudit): string {
  if (act === "refund") return say("Возврат оплаты по QR", "Refund of a QR payment");
  if (act === "grant") return say("Баллы участника", "Points of a member");
  if (act === "settle") return say("Сомнение решено человеком", "A doubt settled by a person");
  if (act === "programme") return say("Программа лояльности, версия", "Version of the loyalty programme");
  if (act === "erase") return say("Данные участника стёрты", "A member's data was erased");
  if (act === "agent") return `${say("Агент", "Agent")} ${subject}`;
  const name = settingNamed(subject);
  const words = name === undefined ? undefined : SETTING_WORDS[name];
  if (subject === "acquirer") return say("Банк для оплаты по QR", "Acquirer");
  if (subject === "register") return say("Касса", "Register");
  return words === undefined ? subject : say(words.label.ru, words.label.en);
}

function shownValue(say: Say, { subject }: ReadAudit, value: string | undefined): string {
  const name = settingNamed(subject);
  if (value === undefined) return say("не задано", "not set");
  return name === undefined ? value : valueWords(say, name, value);
}
