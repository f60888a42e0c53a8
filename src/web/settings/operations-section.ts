import { BY_COMMAND, type EntryHead } from "../../journal/reading/head.ts";
import { dayAndHour, dayAndHourAt, roubles } from "../amounts.ts";
import { html, type Markup } from "../html.ts";
import type { Say } from "../language.ts";
import { operationWords, STATE_COLOURS, stateWords } from "../words/operation-words.ts";
import { refusalWords } from "../words/refusal-words.ts";
import { doubtSection, type ShownDoubt } from "./doubt-section.ts";

interface Listed {
  storeId: string;
  entries: readonly EntryHead[];
  /** The number of operations that are left out, because they cannot be read. */
  unreadable: number;
  doubts: ReadonlyMap<number, ShownDoubt>;
  zone: string;
  mayChange: boolean;
  hasRegister: boolean;
  /** The section is sent together with another part, and replaces its old version on the page. */
  beside?: boolean;
}

/** Draws the last operations of a point of sale, with buttons for their receipts. */
export function operationsSection(say: Say, listed: Listed, said?: Markup): Markup {
  const { storeId, entries, mayChange, hasRegister, beside } = listed;
  const base = `/settings/stores/${encodeURIComponent(storeId)}`;
  return html`<section class="card" id="operations"${beside ? html` hx-swap-oob="true"` : undefined}>
<div class="actions"><h2>${say("Последние операции", "Last operations")}</h2>
<button type="button" class="quiet small" hx-get="${base}/operations" hx-target="#operations" hx-swap="outerHTML">${say("Обновить", "Load again")}</button></div>
${said}
${
  entries.length === 0
    ? html`<p class="soft">${say("Операций ещё не было.", "There was no operation yet.")}</p>`
    : html`<ol class="operations">${entries.map((entry) => operationRow(say, entry, listed))}</ol>`
}
${listed.unreadable === 0 ? undefined : unreadableWords(say, listed.unreadable)}
${
  mayChange && hasRegister
    ? html`<div class="actions"><button type="button" class="small" data-action="test-slip" hx-post="${base}/test-slip" hx-target="#operations" hx-swap="outerHTML" hx-sync="this:drop">${say(
        "Пробная печать (X-отчёт, без регистрации)",
        "Test slip (X report, registers nothing)",
      )}</button></div>`
    : undefined
}
</section>`;
}

function unreadableWords(say: Say, operations: number): Markup {
  return html`<p class="panel amber" data-unreadable>${say(
    `Не читаются операции: ${operations}. Сообщите тому, кто ведёт сервер.`,
    `Operations that cannot be read: ${operations}. Tell the person who runs the server.`,
  )}</p>`;
}

function operationRow(say: Say, entry: EntryHead, { storeId, doubts, zone }: Listed): Markup {
  const doubt = doubts.get(entry.id);
  const { key, facts, state, name, sumKopecks } = entry;
  const address = `/settings/receipts/${encodeURIComponent(key.documentId)}`;
  const of = `?kind=${key.operation}`;
  const number = facts?.kind === "fiscal" ? say(`ФД № ${facts.documentNumber}`, `document ${facts.documentNumber}`) : undefined;
  const time = facts === undefined ? dayAndHourAt(entry.acceptedAtMs, zone) : dayAndHour(facts.time);
  return html`<li data-operation="${key.documentId}" data-state="${state}">
<div><strong>${operationWords(say, key.operation)}</strong> ${name}</div>
<div class="number">${sumKopecks === undefined ? undefined : roubles(sumKopecks)}</div>
<div class="soft number">${[time, number].filter((part) => part !== undefined).join(" · ")}</div>
<div><span class="tag ${STATE_COLOURS[state]}">${stateWords(say, state)}</span></div>
${state === "refused" && entry.refusal !== undefined ? html`<p class="wide hint">${refusalWords(say, entry.refusal)}</p>` : undefined}
${doubt === undefined ? undefined : doubtSection(say, storeId, doubt, zone)}
${
  facts === undefined
    ? undefined
    : html`<div class="wide actions"><button type="button" class="quiet small" data-action="show-receipt" hx-get="${address}${of}" hx-target="next .paper" hx-swap="innerHTML">${say("Показать чек", "Show the receipt")}</button><button type="button" class="quiet small" data-action="download-receipt" data-download="${address}.pdf${of}" data-name="${fileName(entry)}">${say("Скачать PDF", "Download PDF")}</button></div><div class="wide paper"></div>`
}
</li>`;
}

function fileName({ name = BY_COMMAND }: EntryHead): string {
  return `receipt-${name.replaceAll(/[^\p{L}\p{N}-]+/gu, "-")}.pdf`;
}
