import { Failure } from "../kernel/failure.ts";
import type { Say } from "./language.ts";

export type Problem =
  | "nothing-here"
  | "forged"
  | "administrators-only"
  | "wrong-method"
  | "too-large"
  | "wrong-type"
  | "crowded"
  | "fault"
  | "unreadable"
  | "no-session"
  | "unconfirmed";

interface ProblemWords {
  status: number;
  title: string;
  words: string;
}

/** Returns what the page says of a failure of the server. */
export function problemOf(error: unknown): Problem {
  const isUnreadable = error instanceof Failure && (error.code === "journal-unreadable" || error.code === "payment-unreadable");
  return isUnreadable ? "unreadable" : "fault";
}

/** Returns status, title and words of a page that shows a problem. The words say what to do. */
export function problemWords(say: Say, problem: Problem): ProblemWords {
  switch (problem) {
    case "nothing-here":
      return {
        status: 404,
        title: say("Здесь ничего нет", "There is nothing here"),
        words: say(
          "Адрес набран неверно, или того, что здесь было, больше нет. Найдите нужное в списке.",
          "The address is mistyped, or what was here is gone. Look for it in a list.",
        ),
      };
    case "forged":
      return {
        status: 403,
        title: say("Запрос пришёл не с этой страницы", "The request comes from another page"),
        words: say(
          "Ничего не изменено. Откройте страницу заново и повторите.",
          "Nothing was changed. Open the page again and repeat what you did.",
        ),
      };
    case "administrators-only":
      return {
        status: 403,
        title: say("Это может менять только администратор", "Only an administrator may change this"),
        words: say("Ничего не изменено. Попросите администратора платформы.", "Nothing was changed. Ask an administrator of the platform."),
      };
    case "wrong-method":
      return {
        status: 405,
        title: say("Так эту страницу не открыть", "This page cannot be opened like that"),
        words: say(
          "Этот адрес только принимает формы. Откройте страницу, с которой форму отправляют.",
          "This address only takes forms. Open the page that sends the form.",
        ),
      };
    case "too-large":
    case "wrong-type":
    case "crowded":
      return unreadWords(say, problem);
    case "fault":
    case "unreadable":
      return failedWords(say, problem);
    case "no-session":
      return {
        status: 401,
        title: say("Сеанс закончился", "The session is over"),
        words: say("Откройте окно решения заново.", "Open the window of the solution again."),
      };
    case "unconfirmed":
      return {
        status: 401,
        title: say("Платформа не подтвердила, кто вы", "The platform has not confirmed who you are"),
        words: say("Откройте окно решения заново.", "Open the window of the solution again."),
      };
  }
}

/** Returns the words about a failure of the server, or about a record that the server cannot read. */
function failedWords(say: Say, problem: "fault" | "unreadable"): ProblemWords {
  if (problem === "unreadable") {
    return {
      status: 500,
      title: say("Запись не читается", "The record cannot be read"),
      words: say(
        "Она испорчена или сохранена другой версией сервера. Что в ней не так, сказано в журнале сервера. Остальное работает.",
        "It is damaged, or another version of the server has stored it. The server's log says what is wrong. All else works.",
      ),
    };
  }
  return {
    status: 500,
    title: say("Ошибка сервера", "The server failed"),
    words: say(
      "Что было сохранено раньше, на месте. Откройте страницу ещё раз и посмотрите, выполнено ли последнее действие.",
      "What was saved before is still there. Open the page again and see whether your last act was done.",
    ),
  };
}

function unreadWords(say: Say, problem: "too-large" | "wrong-type" | "crowded"): ProblemWords {
  switch (problem) {
    case "too-large":
      return {
        status: 413,
        title: say("Введено слишком много", "Too much was typed"),
        words: say(
          "Ничего не изменено. Сократите введённое и отправьте снова.",
          "Nothing was changed. Shorten what you typed and send it again.",
        ),
      };
    case "wrong-type":
      return {
        status: 415,
        title: say("Это не форма", "This is no form"),
        words: say("Ничего не изменено. Отправьте форму с её страницы.", "Nothing was changed. Send the form from its own page."),
      };
    case "crowded":
      return {
        status: 503,
        title: say("Сервер занят", "The server is busy"),
        words: say("Ничего не изменено. Повторите через минуту.", "Nothing was changed. Repeat it in a minute."),
      };
  }
}
