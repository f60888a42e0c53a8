import { html } from "../../html.ts";
import type { Say } from "../../language.ts";
import type { ConsoleView } from "../layout.ts";
import { type KeptForm, keptControls, type LostForm } from "./kept-form.ts";

type LoginProblem = "wrong" | "too-often";

/** `login`: as typed before. `from`: the page to open after the login. `kept`: a form that came without a session. */
export interface LoginParts {
  login?: string;
  from?: string;
  kept?: KeptForm | LostForm;
  problem?: LoginProblem;
}

export function loginPage(say: Say, { login = "", from, kept, problem }: LoginParts): ConsoleView {
  const words = {
    wrong: say("Логин или пароль неверен.", "Login or password is wrong."),
    "too-often": say("Слишком много попыток. Подождите десять минут.", "Too many tries. Wait for ten minutes."),
  };
  const said = problem === undefined ? undefined : words[problem];
  return {
    page: "login",
    title: say("Вход", "Log in"),
    content: html`<form class="card login" method="post" action="/console/login">
<h1>${say("Консоль фискального сервера", "Console of the fiscal server")}</h1>
${from === undefined ? undefined : html`<input type="hidden" name="from" value="${from}">`}${kept?.kind === "kept" ? keptControls(kept) : undefined}
${kept === undefined ? undefined : html`<p class="panel amber">${endedWords(say, kept)}</p>`}
<div class="field"><label for="login">${say("Логин", "Login")}</label><input id="login" name="login" value="${login}" autocomplete="username" required maxlength="64"${login === "" ? html` autofocus` : undefined}></div>
<div class="field"><label for="password">${say("Пароль", "Password")}</label><input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024"${
      said === undefined ? undefined : html` aria-invalid="true" aria-describedby="login-problem"`
    }${login === "" ? undefined : html` autofocus`}>${said === undefined ? undefined : html`<p class="wrong" id="login-problem" data-error>${said}</p>`}</div>
<div class="actions"><button class="primary">${say("Войти", "Log in")}</button></div>
</form>`,
  };
}

function endedWords(say: Say, { kind }: KeptForm | LostForm): string {
  if (kind === "kept") {
    return say(
      "Сеанс закончился. Войдите снова: то, что вы ввели, не потеряно.",
      "The session is over. Log in again: what you typed is not lost.",
    );
  }
  return say(
    "Сеанс закончился, и ничего не сделано. Введённое слишком длинное, чтобы его сохранить: после входа введите его заново, короче.",
    "The session is over, and nothing was done. What you typed is too long to be kept: type it again, shorter, after the login.",
  );
}
