import { Router } from "express";
import { answerBytes } from "../../http/answer.ts";
import { logOf } from "../../http/request-context.ts";
import { type ContractAnswers, contractRouter, type Handler } from "../../http/route.ts";
import type { Entry } from "../../journal/entry.ts";
import { Failure, messageOf } from "../../kernel/failure.ts";
import { Secret } from "../../kernel/secret.ts";
import type { Payment } from "../../payments/payment.ts";
import { type Assets, answerAsset, readAssets } from "../assets.ts";
import { html } from "../html.ts";
import { languageOf, type Say, sayIn } from "../language.ts";
import { formOf, queryOf, type Request, type Response, sendMarkup } from "../requests.ts";
import { AUDIT_HEAD, auditCells, auditPage, auditSearchOf } from "./audit-page.ts";
import type { Cell } from "./csv.ts";
import { CONSOLE_ENDPOINTS, type ConsoleCallId } from "./endpoints.ts";
import { PIECE_ROWS, sendCsv } from "./export.ts";
import { filterOf, type ListFilter } from "./filter.ts";
import { isOwnAct, sessionOf, sessionText, setSession } from "./gate.ts";
import { homePage } from "./home-page.ts";
import { INSTALLATIONS_HEAD, installationCells, installationsIn, installationsPage } from "./installations-page.ts";
import { type ConsoleContext, type ConsoleView, consoleDocument } from "./layout.ts";
import { type LoginProblem, loginPage } from "./login-page.ts";
import { operationPage } from "./operation-page.ts";
import { OPERATIONS_HEAD, operationCells, operationsPage, searchOf } from "./operations-page.ts";
import { PAYMENTS_HEAD, paymentCells, paymentPage, paymentSearchOf, paymentsPage } from "./payments-page.ts";
import { registersPage } from "./registers-page.ts";
import type { ConsoleServices } from "./services.ts";
import { obstacleWords, statementIn } from "./settle.ts";
import { addUp, TOTALS_HEAD, totalCells, totalsPage } from "./totals-page.ts";

const BASE = "/console";

/** The operator's console; mount it at `/console`, behind the request context. */
export function consoleRoutes(services: ConsoleServices): Router {
  const assets = readAssets(BASE);
  const pages = new ConsolePages(services, assets);
  const router = Router({ caseSensitive: true });
  router.get(assets.style.path, answerAsset(assets.style));
  router.use(contractRouter(CONSOLE_ENDPOINTS, pages.handlers(), consoleAnswers()));
  return router;
}

class ConsolePages {
  readonly #services: ConsoleServices;
  readonly #assets: Assets;

  constructor(services: ConsoleServices, assets: Assets) {
    this.#services = services;
    this.#assets = assets;
  }

  handlers(): Record<ConsoleCallId, Handler> {
    const services = this.#services;
    return {
      home: this.#page((context) => homePage(services, context)),
      loginPage: (request, response) => this.#login(request, response, 200, {}),
      login: (request, response) => this.#logIn(request, response),
      logout: (request, response) => this.#logOut(request, response),
      operations: this.#list((context, filter) => operationsPage(services, context, filter)),
      operationsCsv: this.#csv("operations", OPERATIONS_HEAD, (context, filter) => this.#operationPieces(context, filter)),
      operation: this.#ofEntry((context, entry) => operationPage(services, context, entry)),
      settle: (request, response) => this.#settle(request, response),
      receiptPdf: (request, response) => this.#pdf(request, response),
      registers: this.#page(async (context) => registersPage(context, await services.registers())),
      installations: this.#list(async (context, filter) => installationsPage(context, filter, await services.installations())),
      installationsCsv: this.#csv("installations", INSTALLATIONS_HEAD, async function* ({ zone }, filter) {
        yield installationsIn(filter, await services.installations()).map((one) => installationCells(one, zone));
      }),
      payments: this.#list((context, filter) => paymentsPage(services, context, filter)),
      paymentsCsv: this.#csv("payments", PAYMENTS_HEAD, (context, filter) => this.#paymentPieces(context, filter)),
      payment: this.#page(async (context, request) => {
        const [found] = await services.payments.search({ id: String(request.params.id), limit: 1 });
        return found === undefined ? undefined : paymentPage(context, await services.payments.story(found.id));
      }),
      totals: this.#list((context, filter) => totalsPage(services, context, filter)),
      totalsCsv: this.#csv("totals", TOTALS_HEAD, async function* (context, filter) {
        yield (await addUp(services, context, filter)).days.map(totalCells);
      }),
      audit: this.#list((context, filter) => auditPage(services, context, filter)),
      auditCsv: this.#csv("audit", AUDIT_HEAD, (context, filter) => this.#auditPieces(context, filter)),
    };
  }

  /** Makes the handler of a page. `make` returns undefined when there is no such object. */
  #page(make: (context: ConsoleContext, request: Request) => Promise<ConsoleView | undefined>): Handler {
    return async (request, response) => {
      const context = this.#enter(request, response);
      if (context === undefined) return;
      const view = await make(context, request);
      if (view === undefined) return nothingHere(response, context.say);
      this.#send(response, 200, context, view);
    };
  }

  #list(make: (context: ConsoleContext, filter: ListFilter) => Promise<ConsoleView>): Handler {
    return this.#page((context, request) => make(context, filterOf(queryOf(request), context.zone)));
  }

  #ofEntry(make: (context: ConsoleContext, entry: Entry) => Promise<ConsoleView>): Handler {
    return this.#page(async (context, request) => {
      const entry = await this.#entryOf(request);
      return entry === undefined ? undefined : make(context, entry);
    });
  }

  #csv(
    name: string,
    head: readonly string[],
    pieces: (context: ConsoleContext, filter: ListFilter) => AsyncIterable<readonly Cell[][]>,
  ): Handler {
    return async (request, response) => {
      const context = this.#enter(request, response);
      if (context === undefined) return;
      await sendCsv(request, response, { name, head, pieces: pieces(context, filterOf(queryOf(request), context.zone)) });
    };
  }

  /** Finds an entry by its number in the journal or by its document id. Of several entries it returns the newest. */
  async #entryOf(request: Request): Promise<Entry | undefined> {
    const key = String(request.params.key);
    const byNumber = /^\d{1,15}$/.test(key) ? await this.#services.journal.get(Number(key)) : undefined;
    if (byNumber !== undefined) return byNumber;
    const found = await this.#services.search({ term: { names: [], documentId: key }, limit: 1 });
    return found[0];
  }

  async *#operationPieces({ zone }: ConsoleContext, filter: ListFilter): AsyncIterable<readonly Cell[][]> {
    const wanted = searchOf(filter);
    let before = wanted.before;
    for (;;) {
      const piece = await this.#services.search({ ...wanted, ...(before === undefined ? {} : { before }), limit: PIECE_ROWS });
      yield piece.map((entry) => operationCells(entry, zone));
      const last = piece.at(-1);
      if (last === undefined || piece.length < PIECE_ROWS) return;
      before = { acceptedAtMs: last.acceptedAtMs, id: last.id };
    }
  }

  async *#paymentPieces({ zone }: ConsoleContext, filter: ListFilter): AsyncIterable<readonly Cell[][]> {
    const wanted = paymentSearchOf(filter);
    let after = wanted.after;
    for (;;) {
      const piece: Payment[] = await this.#services.payments.search({
        ...wanted,
        ...(after === undefined ? {} : { after }),
        limit: PIECE_ROWS,
      });
      yield piece.map((payment) => paymentCells(payment, zone));
      const last = piece.at(-1);
      if (last === undefined || piece.length < PIECE_ROWS) return;
      after = { createdAtMs: last.createdAtMs, id: last.id };
    }
  }

  async *#auditPieces({ zone }: ConsoleContext, filter: ListFilter): AsyncIterable<readonly Cell[][]> {
    const wanted = auditSearchOf(filter);
    let beforeId = wanted.beforeId;
    for (;;) {
      const piece = await this.#services.audit({ ...wanted, ...(beforeId === undefined ? {} : { beforeId }), limit: PIECE_ROWS });
      yield piece.map((line) => auditCells(line, zone));
      beforeId = piece.at(-1)?.id;
      if (piece.length < PIECE_ROWS) return;
    }
  }

  async #pdf(request: Request, response: Response): Promise<void> {
    const context = this.#enter(request, response);
    if (context === undefined) return;
    const entry = await this.#entryOf(request);
    if (entry?.facts === undefined) return nothingHere(response, context.say);
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Content-Disposition", `attachment; filename="receipt-${entry.id}.pdf"`);
    answerBytes(response, 200, "application/pdf", await this.#services.pdfOf(entry));
  }

  async #settle(request: Request, response: Response): Promise<void> {
    const form = await formOf(request);
    const context = this.#enter(request, response);
    if (context === undefined) return;
    const { session, say } = context;
    if (form === undefined || !isOwnAct(this.#services, request, { given: form.get("csrf"), expected: session.csrf }))
      return forged(response, say);
    const entry = await this.#entryOf(request);
    if (entry === undefined) return nothingHere(response, say);
    const statement = statementIn(say, entry, form);
    const again = async (problem: { field?: string; words: string }, status: number) => {
      const now = (await this.#services.journal.get(entry.id)) ?? entry;
      this.#send(response, status, context, await operationPage(this.#services, context, now, { typed: { form, problem } }));
    };
    if ("words" in statement) return again(statement, 422);
    try {
      const settled = await this.#services.settle(entry, statement, session.login);
      if (settled.kind === "refused") return again({ words: obstacleWords(say, settled.because) }, 409);
      const said = say("Решено. Касса свободна.", "It is settled. The register is free.");
      this.#send(response, 200, context, await operationPage(this.#services, context, settled.entry, { said }));
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "journal-moved") throw error;
      await again({ words: say("Её только что решил кто-то другой.", "Somebody else has just settled it.") }, 409);
    }
  }

  /**
   * Returns the context of the request's session. Undefined: nobody is logged in, and the request was answered with the way to the login.
   */
  #enter(request: Request, response: Response): ConsoleContext | undefined {
    const session = sessionOf(this.#services, request, response);
    if (session === undefined) {
      const from = request.method === "GET" ? `?from=${encodeURIComponent(request.originalUrl)}` : "";
      response.setHeader("Cache-Control", "no-store");
      response.setHeader("Location", `${BASE}/login${from}`);
      response.statusCode = 303;
      response.end();
      return undefined;
    }
    const language = languageIn(request);
    return { say: sayIn(language), language, zone: this.#services.zone, nowMs: this.#services.clock.nowMs(), session };
  }

  #send(response: Response, status: number, { language, session }: ConsoleContext, view: ConsoleView): void {
    setPolicy(response);
    sendMarkup(response, status, consoleDocument(this.#assets, language, view, session));
  }

  #login(request: Request, response: Response, status: number, typed: { login?: string; from?: string; problem?: LoginProblem }): void {
    const language = languageIn(request);
    const from = ownPath(typed.from ?? queryOf(request).get("from"));
    setPolicy(response);
    const view = loginPage(sayIn(language), { ...typed, ...(from === undefined ? {} : { from }) });
    sendMarkup(response, status, consoleDocument(this.#assets, language, view, undefined));
  }

  async #logIn(request: Request, response: Response): Promise<void> {
    const form = await formOf(request);
    if (form === undefined || !isOwnAct(this.#services, request)) return forged(response, sayIn(languageIn(request)));
    const [login, password] = [form.get("login")?.trim() ?? "", form.get("password") ?? ""];
    const tried = await this.#services.users.check(login, new Secret(password), request.socket.remoteAddress ?? "");
    if (tried.kind !== "in") {
      logOf(response).warn({ login, outcome: tried.kind }, "a login to the console was refused");
      const typed = { login, problem: tried.kind, ...(form.has("from") ? { from: form.get("from") ?? "" } : {}) };
      return this.#login(request, response, tried.kind === "wrong" ? 401 : 429, typed);
    }
    const { text, lastsMs } = this.#services.sessions.begin(tried.login);
    logOf(response).info({ login }, "somebody has logged in to the console");
    setSession(response, this.#services, text, lastsMs);
    away(response, ownPath(form.get("from")) ?? `${BASE}/`);
  }

  async #logOut(request: Request, response: Response): Promise<void> {
    const form = await formOf(request);
    const [text, session] = [sessionText(request), sessionOf(this.#services, request, response)];
    const say = sayIn(languageIn(request));
    if (session !== undefined && !isOwnAct(this.#services, request, { given: form?.get("csrf"), expected: session.csrf }))
      return forged(response, say);
    if (text !== undefined) this.#services.sessions.end(text);
    setSession(response, this.#services, "", 0);
    away(response, `${BASE}/login`);
  }
}

function languageIn(request: Request) {
  return languageOf(undefined, request.headers["accept-language"]);
}

/** Returns an address within the console. Any other address is refused, so that no link leads from the login to another site. */
function ownPath(text: string | undefined): string | undefined {
  return text !== undefined && /^\/console(?:[/?][\w\-./?=&%:+~]*)?$/.test(text) && !text.includes("//") ? text : undefined;
}

function away(response: Response, address: string): void {
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Location", address);
  response.statusCode = 303;
  response.end();
}

/** Sets the security policy of a page: no scripts, no frames, and nothing from another address. */
function setPolicy(response: Response): void {
  response.setHeader(
    "Content-Security-Policy",
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  // A stricter policy would make browsers send `Origin: null`, which proves nothing.
  response.setHeader("Referrer-Policy", "same-origin");
}

function nothingHere(response: Response, say: Say): void {
  sendMarkup(response, 404, html`<p>${say("Здесь ничего нет.", "There is nothing here.")}</p>`);
}

function forged(response: Response, say: Say): void {
  sendMarkup(response, 403, html`<p>${say("Запрос пришёл не с этой страницы.", "The request comes from another page.")}</p>`);
}

function consoleAnswers(): ContractAnswers {
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
