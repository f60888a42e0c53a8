import type { Concern } from "../model/concerns.ts";
import type { SeenAnswers, Standing } from "../operator/registers/register-desk.ts";
import { dayAndHourAt } from "./amounts.ts";
import { html, type Markup } from "./html.ts";
import type { Say } from "./language.ts";
import { concernWords } from "./words/register-words.ts";

export interface Light {
  light: "green" | "amber" | "red" | "grey";
  words: string;
  todo?: string;
}

export interface Watched {
  standing: Standing;
  concerns: readonly Concern[];
  nowMs: number;
  zone: string;
}

/** Returns the state of a register as one colour with its reason. The most serious problem wins. */
export function lightOf(say: Say, { standing, concerns, nowMs, zone }: Watched): Light {
  if (standing.kind === "none") {
    return {
      light: "grey",
      words: say("Касса не выбрана", "No register is chosen"),
      todo: say("Укажите кассу этой точки продаж.", "Set the register of this point of sale up."),
    };
  }
  if (standing.kind === "unusable") {
    return {
      light: "red",
      words: say("Этой кассой пользоваться нельзя", "This register cannot be used"),
      todo: say(
        `Чеки не пробиваются: ${standing.reason}. Выберите другую кассу или заведите агента.`,
        "No receipts are made: the account has no such agent. Choose another register or enrol an agent.",
      ),
    };
  }
  const { seen, doubt } = standing;
  if (doubt !== undefined) {
    return {
      light: "red",
      words: say("Неизвестно, пробит ли последний документ", "It is unknown whether the last document was registered"),
      todo: say(
        "Не пробивайте заново: касса ждёт решения. Что делать — в последних операциях.",
        "Do not make it again: the register waits for a decision. The last operations say what to do.",
      ),
    };
  }
  if (seen?.unreachable !== undefined) return silent(say, seen, { nowMs, zone });
  if (seen?.state === undefined) return { light: "grey", words: say("Кассу ещё не спрашивали", "The register has not been asked yet") };
  const [worst] = [...concerns].sort((one, other) => Number(other.weight === "stops-now") - Number(one.weight === "stops-now"));
  if (worst === undefined) return { light: "green", words: say("Касса готова", "The register is ready") };
  const { what, todo } = concernWords(say, worst);
  return { light: worst.weight === "stops-now" ? "red" : "amber", words: what, todo };
}

function silent(say: Say, { state }: SeenAnswers, { nowMs, zone }: { nowMs: number; zone: string }): Light {
  const last = state === undefined ? "" : ageWords(say, state.atMs, nowMs, zone);
  const words = say("Нет связи с кассой", "The register does not answer");
  return {
    light: "red",
    words: last === "" ? words : say(`${words}. Последний ответ: ${last}`, `${words}. Last answer: ${last}`),
    todo: say(
      "Проверьте питание, кабель и адрес. Связь вернётся сама, когда касса ответит.",
      "Check power, cable and address. It goes on by itself once the register answers.",
    ),
  };
}

/** Returns how long ago the moment was. After an hour it returns the moment itself. */
export function ageWords(say: Say, atMs: number, nowMs: number, zone: string): string {
  const seconds = Math.max(0, Math.round((nowMs - atMs) / 1000));
  if (seconds < 60) return say(`меньше минуты назад`, `less than a minute ago`);
  if (seconds < 3_600) return say(`${Math.floor(seconds / 60)} мин назад`, `${Math.floor(seconds / 60)} min ago`);
  return dayAndHourAt(atMs, zone);
}

export function lightMarkup({ light, words }: Light): Markup {
  return html`<span class="light" data-light="${light}">${words}</span>`;
}
