import type { Exchange } from "../../journal/exchanges.ts";
import { wallTimeAt } from "../../kernel/moment.ts";
import { type ExchangeStep, MOST_STEPS } from "../../model/device/exchange.ts";
import { type Content, html, type Markup } from "../html.ts";
import type { ConsoleContext } from "./layout.ts";

/** Draws the exchange with the device: names, times and codes of commands. Undefined: no exchange is stored. */
export function exchangeCard({ say, zone }: ConsoleContext, exchanges: readonly Exchange[]): Content {
  if (exchanges.length === 0) return undefined;
  return html`<section class="card" data-exchange><h2>${say("Обмен с кассой", "Exchange with the register")}</h2>${exchanges.map(
    ({
      attempt,
      steps,
    }) => html`<details${exchanges.length === 1 ? html` open` : undefined}><summary>${say(`Попытка ${attempt}: команд ${steps.length}`, `Attempt ${attempt}: ${steps.length} commands`)}</summary>
<table><thead><tr><th scope="col">${say("Время", "Time")}</th><th scope="col">${say("Команда", "Command")}</th><th scope="col">${say("мс", "ms")}</th><th scope="col">${say("Код", "Code")}</th></tr></thead><tbody>${steps.map(
      (step) => stepRow(say, step, zone),
    )}</tbody></table>${steps.length < MOST_STEPS ? undefined : html`<p class="hint">${say("Показаны первые команды.", "The first commands are shown.")}</p>`}</details>`,
  )}</section>`;
}

function stepRow(say: ConsoleContext["say"], { command, atMs, tookMs, code }: ExchangeStep, zone: string): Markup {
  return html`<tr><td class="number">${wallTimeAt(atMs, zone).slice(11)}</td><td>${command}</td><td class="number" data-label="${say("мс", "ms")}">${tookMs}</td><td class="number" data-label="${say("код", "code")}">${codeText(say, code)}</td></tr>`;
}

function codeText(say: ConsoleContext["say"], code: string): string {
  if (code === "none") return say("нет ответа", "no answer");
  return code === "undelivered" ? say("не дошла", "not delivered") : code;
}
