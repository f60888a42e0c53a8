import type { Doubt } from "../../model/doubt.ts";
import type { Reason } from "../../model/reason.ts";
import { roubles } from "../amounts.ts";
import type { Say } from "../language.ts";
import { shownPart } from "../shown-part.ts";
import { refusalWords } from "../words/refusal-words.ts";

/** Returns why an operation changed its state, for the server's operator. `doubtWords`: the cashier's words for a doubt. */
export function reasonWords(say: Say, reason: Reason, doubtWords: (doubt: Doubt) => string): string {
  switch (reason.code) {
    case "doubt":
      return shownPart(say, doubtWords(reason.doubt));
    case "refused": {
      const { code, parameter, device } = reason.refusal;
      // An emulated device has no separate codes: its code equals the refusal's code. Equal codes are shown once.
      const codes = [...new Set([code, parameter, device?.code])].filter((part) => part !== undefined).join(", ");
      return `${refusalWords(say, reason.refusal)} (${codes})`;
    }
    case "nothing-made":
      return say("после отправки касса ничего не пробила", "the register made nothing after it was sent");
    case "shift-adopted":
      return say(
        `принята смена, открытая на кассе документом ${reason.number}`,
        `took the shift that document ${reason.number} had opened`,
      );
    case "report-found":
      return say(`отчёт уже стоял в накопителе: ФД № ${reason.number}`, `the drive already had the report: document ${reason.number}`);
    case "attempt-found":
      return say(
        "в накопителе стоит прежняя попытка, признанная непробитой",
        "the drive has an attempt that was settled as not registered",
      );
    case "restored-from-drive":
      return say("найдено в накопителе, в журнале этого не было", "found in the drive, the journal had lost it");
    case "marks-unread":
      return say(`не прочитаны коды маркировки: ${reason.marks.length}`, `marks that could not be read: ${reason.marks.length}`);
    case "returned-more":
      return say(`возвращено больше, чем продано (запись ${reason.sale})`, `gives back more than was sold (entry ${reason.sale})`);
    case "confirmed":
      return say("касса подтвердила", "confirmed by the register");
    case "unconfirmed":
      return say("касса не подтвердила", "not confirmed by the register");
    case "said":
      return `«${shownPart(say, reason.words)}»`;
    case "other-sum":
      return say(
        `пробито на другую сумму: ${roubles(reason.totalKopecks)}`,
        `registered with another sum: ${roubles(reason.totalKopecks)}`,
      );
    case "taken-back":
      return say("прежнее решение заменено", "an earlier decision was replaced");
    case "words-only":
      return reason.words;
  }
}
