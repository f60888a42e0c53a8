import { createHash } from "node:crypto";
import type { SeenAnswers, Standing } from "../../operator/registers/register-desk.ts";
import { dayAndHour } from "../amounts.ts";
import { facts } from "../fields.ts";
import { type Content, html, type Markup } from "../html.ts";
import type { Say } from "../language.ts";
import { shownAddress } from "../register-address.ts";
import { ageWords, lightMarkup, lightOf, type Watched } from "../register-light.ts";
import { countedDocuments } from "../words/counted.ts";
import { concernWords } from "../words/register-words.ts";

type RegisterState = NonNullable<SeenAnswers["state"]>["value"];

/** A state older than this is shown with its age. The page asks every `POLL_MS`, so an older state could not be renewed. */
const OLD_MS = 5_000;

/** Draws the state, which the page refreshes. `version` changes when the page must show something new. */
export function stateSection(say: Say, storeId: string, watched: Watched): { markup: Markup; version: string } {
  const light = lightOf(say, watched);
  const { standing, concerns } = watched;
  const more = concerns.map((one) => concernWords(say, one)).filter(({ what }) => what !== light.words);
  const content = html`<div>${lightMarkup(light)}</div>
${light.todo === undefined ? undefined : html`<p class="${light.light === "grey" ? "soft" : `panel ${light.light}`}">${light.todo}</p>`}
${more.map(({ what, todo }) => html`<p class="panel amber"><strong>${what}</strong><span class="ink">${todo}</span></p>`)}
${standing.kind === "register" ? stateFacts(say, standing, watched) : undefined}`;
  const version = createHash("sha256").update(content.toString()).digest("base64url").slice(0, 16);
  const address = `/settings/stores/${encodeURIComponent(storeId)}/state?since=${version}`;
  const markup = html`<section class="card" id="state" data-live aria-label="${say(
    "Состояние кассы",
    "State of the register",
  )}" hx-get="${address}" hx-trigger="every ${POLL_MS}ms" hx-swap="outerHTML">
<h2>${say("Касса сейчас", "The register now")}</h2>
${content}
</section>`;
  return { markup, version };
}

/** How often the page asks for the state. Together with the question to the register, a change usually appears within a second. */
const POLL_MS = 700;

function stateFacts(say: Say, standing: Extract<Standing, { kind: "register" }>, { nowMs, zone }: Watched): Content {
  const { seen, waiting, address } = standing;
  const state = seen?.state?.value;
  const isOld = seen?.state !== undefined && nowMs - seen.state.atMs > OLD_MS;
  return facts([
    [say("Смена", "Shift"), state === undefined ? undefined : shiftWords(say, state)],
    [say("Последний документ", "Last document"), state === undefined ? undefined : documentWords(say, state)],
    [say("Бумага", "Paper"), state === undefined ? undefined : paperWords(say, state)],
    [say("Накопитель", "Drive"), state === undefined ? undefined : driveWords(say, state)],
    [say("Очередь в ОФД", "Queue to the operator"), state === undefined ? undefined : queueWords(say, state)],
    [say("Часы кассы", "Register's clock"), state === undefined ? undefined : html`<span class="number">${dayAndHour(state.time)}</span>`],
    [say("Операции", "Operations"), waiting === 0 ? undefined : say(`ждут кассу: ${waiting}`, `${waiting} wait`)],
    [say("Адрес", "Address"), html`<code>${shownAddress(address)}</code>`],
    [say("Сведения получены", "Seen"), isOld ? ageWords(say, seen.state?.atMs ?? 0, nowMs, zone) : undefined],
  ]);
}

function shiftWords(say: Say, { shift }: RegisterState): string {
  if (shift.kind === "closed") return say("закрыта", "closed");
  const since = shift.openedAt === "" ? "" : say(` с ${dayAndHour(shift.openedAt)}`, ` since ${dayAndHour(shift.openedAt)}`);
  return say(`№ ${shift.number} открыта${since}`, `number ${shift.number}, open${since}`);
}

function documentWords(say: Say, { lastDocumentNumber, lastDocumentTime }: RegisterState): string {
  if (lastDocumentNumber === 0) return say("нет", "none");
  const time = lastDocumentTime === undefined ? "" : say(` от ${dayAndHour(lastDocumentTime)}`, ` of ${dayAndHour(lastDocumentTime)}`);
  return say(`ФД № ${lastDocumentNumber}${time}`, `number ${lastDocumentNumber}${time}`);
}

function paperWords(say: Say, { paper, paperEndedWithin, coverOpen }: RegisterState): string | undefined {
  if (coverOpen) return say("крышка открыта", "the cover is open");
  if (paper === "out" || paperEndedWithin) return say("закончилась", "ended");
  return paper === "present" ? say("есть", "present") : undefined;
}

function driveWords(say: Say, { driveNumber, drive }: RegisterState): Content {
  const { keysUntil, documentsLeft } = drive;
  const until = keysUntil === undefined ? "" : say(`, ключи до ${dayOf(keysUntil)}`, `, keys until ${dayOf(keysUntil)}`);
  const room = documentsLeft === undefined ? "" : `, ${say("места на", "room for")} ${countedDocuments(say, documentsLeft)}`;
  return html`<span class="number">${driveNumber}</span>${until}${room}`;
}

function dayOf(time: string): string {
  return dayAndHour(time).slice(0, "27.11.2026".length);
}

function queueWords(say: Say, { queue }: RegisterState): string {
  if (queue.unsent === 0) return say("пуста", "empty");
  const since = queue.since === undefined ? "" : say(`, первый от ${dayAndHour(queue.since)}`, `, the first of ${dayAndHour(queue.since)}`);
  return `${countedDocuments(say, queue.unsent)}${since}`;
}
