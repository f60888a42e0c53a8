import type { Obstacle } from "../../operator/settling/settle-by-hand.ts";
import { dayAndHour } from "../amounts.ts";
import type { Say } from "../language.ts";

/** Returns why nothing was settled. */
export function obstacleWords(say: Say, because: Obstacle): string {
  switch (because.code) {
    case "settled-by-person":
    case "no-doubt":
      return say("Уже решено: откройте операцию заново.", "It is settled already: open the operation again.");
    case "corrected-since":
      return say(`Документ уже исправлен записью ${because.correction.id}.`, `Entry ${because.correction.id} has corrected it since.`);
    case "register-said-otherwise":
    case "register-contradicts":
      return say(
        `Касса говорит другое: ${contradictionText(say, because)}. Ничего не решено.`,
        `The register says otherwise: ${contradictionText(say, because)}. Nothing was settled.`,
      );
    case "register-silent":
      return say(
        "Касса не смогла ответить. Включите её и повторите, или посмотрите дважды и отметьте «верить мне одному».",
        "The register could not answer. Switch it on and repeat, or look twice and let your word alone count.",
      );
    case "figures-impossible":
      return say(
        `Это не может быть этот документ (${because.problem.code}). Проверьте цифры.`,
        `This cannot be the document (${because.problem.code}). Check the figures.`,
      );
    case "identity-unknown":
      return say(
        "Касса этому серверу неизвестна: решите командой journal settle с --identity.",
        "The register is unknown here: use the command journal settle with --identity.",
      );
  }
}

function contradictionText(say: Say, because: Extract<Obstacle, { code: "register-said-otherwise" | "register-contradicts" }>): string {
  if (because.code === "register-said-otherwise") return say("так она ответила раньше", "so it answered earlier");
  const { contradiction } = because;
  switch (contradiction.code) {
    case "slip":
      return contradiction.wasMade
        ? say("по ящику документ пробит", "by its drawer it was made")
        : say("по ящику документа нет", "by its drawer it was not made");
    case "is-this-operation":
    case "other-sum":
    case "misread": {
      const { documentNumber, fiscalSign, time } = contradiction.facts;
      return say(
        `ФД № ${documentNumber}, ФП ${fiscalSign}, ${dayAndHour(time)}`,
        `document ${documentNumber}, sign ${fiscalSign}, ${dayAndHour(time)}`,
      );
    }
    case "absent":
      return say(`ФД № ${contradiction.number} в накопителе нет`, `its drive has no document ${contradiction.number}`);
    case "foreign":
    case "other-kind":
    case "of-other-operation":
    case "other-settlement":
      return say(`ФД № ${contradiction.number} — другой документ`, `document ${contradiction.number} is another one`);
  }
}
