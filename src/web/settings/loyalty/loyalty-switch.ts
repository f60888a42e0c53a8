import { html, type Markup } from "../../html.ts";
import type { Say } from "../../language.ts";

/** Draws whether tills use the programme. With `mayChange`, a button switches the programme on or off. */
export function loyaltySwitch(say: Say, isOn: boolean, mayChange: boolean): Markup {
  if (!isOn) return loyaltyOff(say, mayChange);
  const words = say("Программа включена: кассы начисляют и списывают баллы.", "The programme is on: tills earn and spend points.");
  const question = say(
    "Выключить программу? Кассы будут считать чеки без скидок и баллов. Баллы участников останутся.",
    "Switch the programme off? Tills sell without discounts and points. The members keep their points.",
  );
  return html`<div class="panel green" id="loyalty-on"><p>${words}</p>${
    mayChange
      ? html`<div class="actions"><button type="button" class="small" hx-post="/settings/loyalty/off" hx-target="#loyalty-on" hx-swap="outerHTML" hx-confirm="${question}">${say("Выключить", "Switch it off")}</button></div>`
      : undefined
  }</div>`;
}

/** Draws the notice that tills do not use the programme. */
export function loyaltyOff(say: Say, mayChange: boolean): Markup {
  const words = say("Программа лояльности выключена: кассы считают чеки без неё.", "The programme is off: tills sell without it.");
  return html`<div class="panel amber" id="loyalty-off"><p>${words}</p>${
    mayChange
      ? html`<div class="actions"><button type="button" class="small" hx-post="/settings/loyalty/on" hx-target="#loyalty-off" hx-swap="outerHTML">${say("Включить", "Switch it on")}</button></div>`
      : html`<p class="hint">${say("Включить её может администратор платформы.", "An administrator may switch it on.")}</p>`
  }</div>`;
}
