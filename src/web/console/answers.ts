import { logOf } from "../../http/request-context.ts";
import type { ContractAnswers } from "../../http/route.ts";
import { messageOf } from "../../kernel/failure.ts";
import { html } from "../html.ts";
import { languageOf, type Say, sayIn } from "../language.ts";
import { type Request, type Response, sendMarkup } from "../requests.ts";

export function languageIn(request: Request) {
  return languageOf(undefined, request.headers["accept-language"]);
}

/** A place within the console. Nothing else is followed, so that no link leads from the login to another site. */
export function ownPath(text: string | undefined): string | undefined {
  return text !== undefined && /^\/console(?:[/?][\w\-./?=&%:+~]*)?$/.test(text) && !text.includes("//") ? text : undefined;
}

export function away(response: Response, address: string): void {
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Location", address);
  response.statusCode = 303;
  response.end();
}

/** No script, no frame, nothing of another address. */
export function setPolicy(response: Response): void {
  response.setHeader(
    "Content-Security-Policy",
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  // A stricter policy would make browsers send `Origin: null`, which proves nothing.
  response.setHeader("Referrer-Policy", "same-origin");
}

export function nothingHere(response: Response, say: Say): void {
  sendMarkup(response, 404, html`<p>${say("Здесь ничего нет.", "There is nothing here.")}</p>`);
}

export function forged(response: Response, say: Say): void {
  sendMarkup(response, 403, html`<p>${say("Запрос пришёл не с этой страницы.", "The request comes from another page.")}</p>`);
}

export function consoleAnswers(): ContractAnswers {
  return {
    unknownPath: (request, response) => nothingHere(response, sayIn(languageIn(request))),
    wrongMethod: (request, response) =>
      sendMarkup(
        response,
        405,
        html`<p>${sayIn(languageIn(request))("Так эту страницу не открыть.", "This page cannot be opened like that.")}</p>`,
      ),
    fault(error, request, response) {
      logOf(response).error({ reason: messageOf(error) }, "a page of the console failed");
      if (response.headersSent) {
        response.destroy();
        return;
      }
      sendMarkup(
        response,
        500,
        html`<p>${sayIn(languageIn(request))("Ошибка сервера. Ничего не потеряно, повторите.", "The server failed. Nothing is lost, repeat it.")}</p>`,
      );
    },
  };
}
