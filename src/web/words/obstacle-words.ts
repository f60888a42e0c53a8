import type { Obstacle } from "../../operator/settling/settle-by-hand.ts";
import { dayAndHour, roubles } from "../amounts.ts";
import type { Say } from "../language.ts";

/** Returns why nothing was settled. */
export function obstacleWords(say: Say, because: Obstacle): string {
  switch (because.code) {
    case "settled-by-person":
    case "no-doubt":
      return say("Уже решено: откройте операцию заново.", "It is settled already: open the operation again.");
    case "stands-in-drive":
      return say(
        `Документ пробит: ФД ${because.documentNumber} в накопителе ${because.driveNumber}. Введите то, что стоит на нём.`,
        `It is registered: ФД ${because.documentNumber} in drive ${because.driveNumber}. Say what stands on that document.`,
      );
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
        `Это не может быть этот документ: ${figureWords(say, because.problem)}. Проверьте цифры.`,
        `This cannot be the document: ${figureWords(say, because.problem)}. Check the figures.`,
      );
    case "identity-unknown":
      return say(
        "Касса этому серверу неизвестна: решите командой journal settle с --identity.",
        "The register is unknown here: use the command journal settle with --identity.",
      );
  }
}

function figureWords(say: Say, problem: Extract<Obstacle, { code: "figures-impossible" }>["problem"]): string {
  switch (problem.code) {
    case "number-too-old":
      return say(`номер ФД должен быть больше ${problem.last}`, `its number is above ${problem.last}`);
    case "number-too-far":
      return say(
        `номер ФД должен быть от ${problem.last + 1} до ${problem.most}`,
        `its number is from ${problem.last + 1} to ${problem.most}`,
      );
    case "time-too-early":
    case "time-not-come":
      return say(
        `время кассы должно быть с ${dayAndHour(problem.from)} по ${dayAndHour(problem.to)}`,
        `the register's time is from ${dayAndHour(problem.from)} to ${dayAndHour(problem.to)}`,
      );
    case "shift-over":
    case "shift-not-begun":
      return say(
        `смена должна быть с ${problem.earliest} по ${problem.latest}`,
        `its shift is from ${problem.earliest} to ${problem.latest}`,
      );
    case "receipt-misplaced":
      return say(
        `номер чека в смене должен быть от ${problem.least} до ${problem.most}`,
        `the number of the receipt is from ${problem.least} to ${problem.most}`,
      );
    case "sum-not-sent":
      return say(
        `отправлен был документ на ${roubles(problem.sentKopecks)}`,
        `the document that was sent has ${roubles(problem.sentKopecks)}`,
      );
    case "number-taken":
      return say(`номер ФД ${problem.number} уже у другого документа`, `number ${problem.number} belongs to another document`);
    case "sign-taken":
      return say(`ФП ${problem.sign} уже у другого документа`, `sign ${problem.sign} belongs to another document`);
    case "other-drive":
      return say(`в кассе стоял накопитель ${problem.had}`, `the register had drive ${problem.had}`);
    case "nothing-sent":
      return say("в кассу ничего не отправлялось", "nothing was sent to the register");
    case "is-x-report":
    case "slip-with-number":
      return say("у такого документа нет номера ФД и ФП", "such a document has neither number nor sign");
    case "number-and-sign-needed":
      return say("нужны номер ФД и ФП", "number and sign are needed");
    case "report-with-receipt":
      return say("у отчёта нет номера чека и суммы", "a report has neither number of a receipt nor sum");
    case "no-facts":
      return say("из этих цифр не складывается чек", "no receipt can be made of these figures");
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
