import type { Entry, Move } from "../../journal/entry.ts";
import { mayTakeBack } from "../../journal/states.ts";
import type { Doubt } from "../../model/doubt.ts";
import type { Explanation, Next } from "../../operator/explaining/explanation.ts";
import { dayAndHourAt, roubles } from "../amounts.ts";
import { facts as factList } from "../fields.ts";
import { type Content, html, type Markup } from "../html.ts";
import { receiptMarkup } from "../receipt-view.ts";
import type { Typed } from "../settle-statement.ts";
import { shownPart } from "../shown-part.ts";
import { nameOf, operationWords, STATE_COLOURS, stateWords, sumOf } from "../words/operation-words.ts";
import { refusalWords } from "../words/refusal-words.ts";
import { exchangeCard } from "./exchange-card.ts";
import type { ConsoleContext, ConsoleView } from "./layout.ts";
import { noticeMarkup } from "./notice.ts";
import { placeOf } from "./operations-page.ts";
import { accountLink, storeLink } from "./places.ts";
import { reasonWords } from "./reason-words.ts";
import type { ConsoleServices } from "./services.ts";
import { settleForms } from "./settle-forms.ts";

/** Draws one operation with its history and the next step of a person. `said`: the result of the last act. */
export async function operationPage(
  services: ConsoleServices,
  context: ConsoleContext,
  entry: Entry,
  { typed, said }: { typed?: Typed; said?: string } = {},
): Promise<ConsoleView> {
  const { say, zone, session } = context;
  const { key, state, document, register, acceptedAtMs } = entry;
  const place = placeOf({ key, storeId: entry.operation.storeId });
  const [explanation, exchanges, names] = await Promise.all([
    services.explain(entry),
    services.exchangesOf(entry.id),
    services.namesOf([place]),
  ]);
  const kopecks = sumOf(document);
  const title = `${operationWords(say, key.operation)} ${nameOf(entry)}`.trim();
  const mayBeSettled = state === "in-doubt" || mayTakeBack(state, explanation.moves);
  const content = html`<div data-operation="${key.documentId}" data-state="${state}">
<div class="head"><a class="back" href="/console/operations">${say("← Операции", "← Operations")}</a>
<h1>${title}</h1><p><span class="tag ${STATE_COLOURS[state]}">${stateWords(say, state)}</span>${kopecks === undefined ? undefined : html` <strong class="number">${roubles(kopecks)}</strong>`}</p></div>
${noticeMarkup(said)}
<div class="story"><div class="stack">
${adviceCard(context, entry, explanation, services.doubtWords)}
${mayBeSettled ? settleForms(say, { entry, explanation, csrf: session.csrf, ...(typed === undefined ? {} : { typed }) }) : undefined}
${movesCard(context, explanation.moves, services.doubtWords)}
<section class="card"><h2>${say("Что это за операция", "What it is")}</h2>${factList([
    [say("Принята", "Accepted"), dayAndHourAt(acceptedAtMs, zone)],
    [say("Касса", "Register"), register],
    [say("Аккаунт", "Account"), accountLink("/console/operations", names, place)],
    [say("Точка продаж", "Point of sale"), storeLink("/console/operations", names, place)],
    [say("Документ", "Document"), key.documentId],
    [say("Запись журнала", "Entry of the journal"), entry.id],
    [say("Оплата по QR", "Paid by QR"), qrOf(entry)],
  ])}</section>
${exchangeCard(context, exchanges)}
</div>
<div class="stack">${paperCard(services, context, entry)}</div></div>
</div>`;
  return { page: "operation", title, content };
}

function qrOf({ operation }: Entry): Content {
  if (operation.kind !== "sale" || operation.payments.qrKopecks === 0) return undefined;
  return html`<a href="/console/payments?store=${encodeURIComponent(operation.storeId)}">${roubles(operation.payments.qrKopecks)}</a>`;
}

function paperCard(services: ConsoleServices, { say }: ConsoleContext, entry: Entry): Content {
  if (entry.facts === undefined) return contentCard(say, entry);
  return html`<section class="card"><h2>${say("Чек", "Receipt")}</h2>${receiptMarkup(services.paperOf(entry))}
<div class="actions"><a class="button quiet small" data-action="download-receipt" href="/console/operations/${entry.id}/receipt.pdf" download>${say("Скачать PDF", "Download PDF")}</a></div></section>`;
}

/** Draws the lines of the document for the register, for an operation without a receipt. Undefined: a document without lines. */
function contentCard(say: ConsoleContext["say"], { document }: Entry): Content {
  if (!("lines" in document)) return undefined;
  return html`<section class="card"><h2>${say("Что было отправлено", "What was sent")}</h2><ul>${document.lines.map(
    (line) => html`<li>${line.name} <span class="number soft">${roubles(line.sumKopecks)}</span></li>`,
  )}</ul></section>`;
}

function movesCard({ say, zone }: ConsoleContext, moves: readonly Move[], doubtWords: (doubt: Doubt) => string): Markup {
  return html`<section class="card"><h2>${say("Что с ней было", "What happened to it")}</h2><ol class="operations">${moves.map(
    (
      move,
    ) => html`<li data-state="${move.to}"><div><span class="tag ${STATE_COLOURS[move.to]}">${stateWords(say, move.to)}</span> <span class="soft">${byWords(say, move.by)}</span></div>
<div class="soft number">${dayAndHourAt(move.atMs, zone)}</div>${
      move.reasons === undefined || move.reasons.length === 0
        ? undefined
        : html`<p class="wide hint">${move.reasons.map((reason) => reasonWords(say, reason, doubtWords)).join("; ")}</p>`
    }</li>`,
  )}</ol></section>`;
}

function byWords(say: ConsoleContext["say"], by: Move["by"]): string {
  const known: Record<Move["by"], string> = {
    caller: say("по запросу платформы", "asked by the platform"),
    register: say("ответ кассы", "answer of the register"),
    "look-up": say("найдено в кассе", "looked up in the register"),
    restart: say("при запуске сервера", "at the start of the server"),
    person: say("решил человек", "decided by a person"),
  };
  return known[by];
}

function adviceCard({ say, zone }: ConsoleContext, entry: Entry, explanation: Explanation, doubtWords: (doubt: Doubt) => string): Markup {
  const { next, waiting } = explanation;
  const { kind, words } = adviceOf(say, entry, next, doubtWords);
  const since =
    waiting === undefined
      ? undefined
      : waiting.owner === "server"
        ? say(
            `Сервер разбирается сам до ${dayAndHourAt(waiting.untilMs, zone)}.`,
            `The server looks into it itself until ${dayAndHourAt(waiting.untilMs, zone)}.`,
          )
        : say("Сервер узнать не смог: нужен человек.", "The server could not find out: a person is needed.");
  return html`<div class="panel ${kind}"><p>${words}</p>${since === undefined ? undefined : html`<p>${since}</p>`}<p class="hint">${say("Кассиру: ", "To the cashier: ")}${cashierText(say, explanation)}</p></div>`;
}

function adviceOf(
  say: ConsoleContext["say"],
  entry: Entry,
  next: Next,
  doubtWords: (doubt: Doubt) => string,
): { kind: string; words: Content } {
  switch (next.kind) {
    case "wait":
      return { kind: "", words: say("Идёт. Ничего делать не нужно.", "It is under way. Nothing needs doing.") };
    case "settle": {
      const doubt = entry.doubt === undefined ? "" : shownPart(say, doubtWords(entry.doubt));
      const why = doubt === "" ? "" : say(` Причина: ${doubt}.`, ` Reason: ${doubt}.`);
      return { kind: "amber", words: say(`Неизвестно, пробит ли документ.${why}`, `It is unknown whether this was registered.${why}`) };
    }
    case "registered-since":
      return {
        kind: "green",
        words: say(
          `Отказано, но потом оформлено чеком коррекции: запись ${next.correction.id}.`,
          `Refused, and registered since by a correction: entry ${next.correction.id}.`,
        ),
      };
    case "stands-in-drive":
      return {
        kind: "amber",
        words: html`${say(
          `Документ пробит: ФД ${next.documentNumber} в накопителе ${next.driveNumber}. Пока этот накопитель в кассе, его получит повтор. Если накопителя больше нет, решает команда`,
          `It is registered: ФД ${next.documentNumber} in drive ${next.driveNumber}. A repeat gets it while that drive is in the register. Is the drive gone for good? Use the command`,
        )} <code>journal settle ${entry.id}</code>`,
      };
    case "after-refusal": {
      const why = entry.refusal === undefined ? "" : refusalWords(say, entry.refusal);
      return { kind: "red", words: html`${why} ${remedyText(say, next.remedy)}` };
    }
    case "after-success":
      return next.repairable?.kind === "uncorrected"
        ? {
            kind: "green",
            words: html`${say("Документ пробит.", "It was registered.")} ${say("Ошибочный чек исправляет команда", "A wrong receipt is repaired by the command")} <code>journal correct ${entry.id}</code>`,
          }
        : { kind: "green", words: say("Документ пробит.", "It was registered.") };
  }
}

function remedyText(say: ConsoleContext["say"], remedy: Extract<Next, { kind: "after-refusal" }>["remedy"]): Content {
  switch (remedy.kind) {
    case "same-document":
      return html`${say("Тот же документ пришёл под другим идентификатором:", "The same document came under another id:")} <a href="/console/operations/${remedy.other.id}">${remedy.other.id}</a>`;
    case "correct-again":
      return say("Исправление надо запросить заново.", "The correction has to be asked for again.");
    case "repeat":
      return say("Устраните причину, и кассир повторит операцию.", "Remove the cause, and the cashier repeats the operation.");
  }
}

function cashierText(say: ConsoleContext["say"], { cashier }: Explanation): string {
  switch (cashier.code) {
    case "is-correction":
    case "is-report":
      return say("делать ничего не нужно.", "nothing needs doing.");
    case "waits-its-turn":
    case "is-being-made":
      return say("подождать и не пробивать заново.", "wait, and do not make it again.");
    case "is-in-doubt":
      return say("не пробивать заново, пока не решено.", "do not make it again before this is settled.");
    case "repeat":
      return say("повторить эту же операцию.", "repeat the same operation.");
    case "wait-for-operator":
      return say("не повторять, пока касса не приведена в порядок.", "do not repeat it before the register is put right.");
    case "corrected":
    case "being-corrected":
    case "undone":
      return say("не повторять: документ оформлен коррекцией.", "do not repeat it: a correction stands for it.");
    case "slip-made":
    case "made":
      return say("повторить эту же операцию: придёт готовый ответ.", "repeat the same operation: the ready answer comes.");
  }
}
