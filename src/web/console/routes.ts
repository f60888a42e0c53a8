import { Router } from "express";
import { answerBytes } from "../../http/answer.ts";
import { logOf } from "../../http/request-context.ts";
import { type ContractAnswers, contractRouter, type Handler } from "../../http/route.ts";
import { networkOf } from "../../http/source.ts";
import type { Entry } from "../../journal/entry.ts";
import { Failure, messageOf } from "../../kernel/failure.ts";
import { present } from "../../kernel/present.ts";
import { Secret } from "../../kernel/secret.ts";
import { isReadable } from "../../payments/listed-payment.ts";
import type { Payment } from "../../payments/payment.ts";
import { type Assets, answerAsset, readAssets } from "../assets.ts";
import { sayIn } from "../language.ts";
import { type Problem, problemOf } from "../problem-words.ts";
import { type FormRead, formOf, paramOf, queryOf, type Request, type Response, sendMarkup } from "../requests.ts";
import type { Acted } from "./acts.ts";
import { acceptAct, agentNamed, agentsView, enrolAct, revokeAct } from "./agents/agents-acts.ts";
import { away, languageIn, ownPath, pageBehind, pageOfForm, setPolicy } from "./answers.ts";
import { AUDIT_HEAD, auditPage } from "./audit-page.ts";
import { broughtBack, type KeptForm, keptForm, resumePage } from "./door/kept-form.ts";
import { type LoginParts, loginPage } from "./door/login-page.ts";
import { problemPage } from "./door/problem-page.ts";
import { CONSOLE_ENDPOINTS, type ConsoleCallId } from "./endpoints.ts";
import { noteExport, type TakenRows } from "./export/note.ts";
import { type Piece, sendCsv } from "./export/send.ts";
import { filterOf, type ListFilter, withNamedAccount } from "./filter.ts";
import { homePage } from "./home-page.ts";
import { INSTALLATIONS_HEAD, installationPieces, installationsPage } from "./installations-page.ts";
import { type ConsoleContext, type ConsoleView, consoleDocument } from "./layout.ts";
import { leaveOutAct } from "./leave-out-act.ts";
import { eraseAct, grantAct, memberParts } from "./members/member-acts.ts";
import { type MemberParts, memberPage } from "./members/member-page.ts";
import { MEMBERS_HEAD, memberPieces, membersPage } from "./members/members-page.ts";
import { operationPage } from "./operation-page.ts";
import { OPERATIONS_HEAD, operationsPage } from "./operations-page.ts";
import { refundAct, settlePaymentAct } from "./payments/payment-acts.ts";
import { paymentPage } from "./payments/payment-page.ts";
import { PAYMENTS_HEAD, paymentsPage } from "./payments/payments-page.ts";
import { auditPieces, operationPieces, paymentPieces } from "./pieces.ts";
import { registersPage } from "./registers-page.ts";
import type { ConsoleServices } from "./services.ts";
import { isOwnAct, knownBrowser, rememberBrowser, sessionOf, sessionText, setSession } from "./session/gate.ts";
import type { ConsoleSession } from "./session/session.ts";
import { settleAct } from "./settle-act.ts";
import { TOTALS_HEAD, totalPieces, totalsPage, withDays } from "./totals/totals-page.ts";

const BASE = "/console";
/** The longest login that is compared, counted and logged. The control of the login page has the same limit. */
const MAX_LOGIN = 64;
/** How many fields of a form without a session are read. The login form has at most 36 fields, with those of a form that it carries. */
const STRANGERS_FIELDS = 64;

/** The operator's console; mount it at `/console`, behind the request context. */
export function consoleRoutes(services: ConsoleServices): Router {
  const assets = readAssets(BASE);
  const pages = new ConsolePages(services, assets);
  const router = Router({ caseSensitive: true });
  router.get(assets.style.path, answerAsset(assets.style));
  router.use(contractRouter(CONSOLE_ENDPOINTS, pages.handlers(), pages.answers()));
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
      operationsCsv: this.#csv("operations", OPERATIONS_HEAD, (context, filter) => operationPieces(services, context, filter)),
      operation: this.#ofEntry((context, entry) => operationPage(services, context, entry)),
      settle: this.#act(
        (request) => this.#entryOf(request),
        (context, entry, form) => settleAct(services, context, entry, form),
      ),
      receiptPdf: (request, response) => this.#pdf(request, response),
      ...this.#agentHandlers(),
      registers: this.#page((context) => registersPage(services, context)),
      leaveOut: this.#act(
        async () => services,
        (context, found, form) => leaveOutAct(found, context, form),
      ),
      installations: this.#list(async (context, filter) => installationsPage(context, filter, await services.listedInstallations())),
      installationsCsv: this.#csv("installations", INSTALLATIONS_HEAD, async function* ({ zone }, filter) {
        yield* installationPieces(filter, await services.listedInstallations(), zone);
      }),
      payments: this.#list((context, filter) => paymentsPage(services, context, filter)),
      paymentsCsv: this.#csv("payments", PAYMENTS_HEAD, (context, filter) => paymentPieces(services, context, filter)),
      payment: this.#page(async (context, request) => {
        const found = await this.#paymentOf(request);
        return found === undefined ? undefined : paymentPage(services, context, await services.payments.story(found.id));
      }),
      refund: this.#act(
        (request) => this.#paymentOf(request),
        (context, payment, form) => refundAct(services, context, payment, form),
      ),
      settlePayment: this.#act(
        (request) => this.#paymentOf(request),
        (context, payment, form) => settlePaymentAct(services, context, payment, form),
      ),
      members: this.#list((context, filter) => membersPage(services, context, filter)),
      membersCsv: this.#csv("members", MEMBERS_HEAD, (_, filter) => memberPieces(services, filter)),
      member: this.#page(async (context, request) => {
        const parts = await this.#memberOf(request);
        return parts === undefined ? undefined : memberPage(context, parts);
      }),
      grant: this.#act(
        (request) => this.#memberOf(request),
        (context, parts, form) => grantAct(services, context, parts, form),
      ),
      erase: this.#act(
        (request) => this.#memberOf(request),
        (context, parts, form) => eraseAct(services, context, parts, form),
      ),
      totals: this.#list((context, filter) => totalsPage(services, context, filter)),
      totalsCsv: this.#csv("totals", TOTALS_HEAD, (context, filter) => totalPieces(services, context, filter), withDays),
      audit: this.#list((context, filter) => auditPage(services, context, filter)),
      auditCsv: this.#csv("audit", AUDIT_HEAD, (context, filter) => auditPieces(services, context, filter)),
    };
  }

  #agentHandlers() {
    const { agents } = this.#services;
    const services = agents === undefined ? undefined : { ...this.#services, agents };
    type Act = typeof acceptAct;
    const onAgent = (act: Act) =>
      this.#act(
        async (request) => {
          const agent = services && (await agentNamed(services, paramOf(request, "name")));
          return services && agent && { services, agent };
        },
        (context, found, form) => act(found.services, context, found.agent, form),
      );
    return {
      agents: this.#page(async (context) => services && agentsView(services, context)),
      enrolAgent: this.#act(
        async () => services,
        (context, found, form) => enrolAct(found, context, form),
      ),
      acceptAgent: onAgent(acceptAct),
      revokeAgent: onAgent(revokeAct),
    };
  }

  answers(): ContractAnswers {
    return {
      unknownPath: (request, response) => void this.#problem(request, response, "nothing-here"),
      wrongMethod: (request, response) => void this.#problem(request, response, "wrong-method"),
      fault: (error, request, response) => {
        logOf(response).error({ reason: messageOf(error) }, "a page of the console failed");
        // An answer that has begun, such as a file, cannot be replaced. So the connection is closed.
        if (response.headersSent) response.destroy();
        else void this.#problem(request, response, problemOf(error));
      },
    };
  }

  /** A logged-in person still sees the navigation bar. Without the database the page has no bar. Never rejects. */
  async #problem(request: Request, response: Response, problem: Problem): Promise<void> {
    const session = await sessionOf(this.#services, request, response).catch(() => undefined);
    const language = languageIn(request);
    const way = { back: pageBehind(request.originalUrl), isLoggedIn: session !== undefined };
    const { status, view } = problemPage(sayIn(language), problem, way);
    setPolicy(response);
    sendMarkup(response, status, consoleDocument(this.#assets, language, view, session));
  }

  /** `make` returns undefined when the object does not exist. */
  #page(make: (context: ConsoleContext, request: Request) => Promise<ConsoleView | undefined>): Handler {
    return async (request, response) => {
      const context = await this.#enter(request, response);
      if (context === undefined) return;
      const view = await make(context, request);
      if (view === undefined) return this.#problem(request, response, "nothing-here");
      this.#send(response, 200, context, view);
    };
  }

  #list(make: (context: ConsoleContext, filter: ListFilter) => Promise<ConsoleView>): Handler {
    return this.#page(async (context, request) => make(context, await this.#filterIn(request, context)));
  }

  #ofEntry(make: (context: ConsoleContext, entry: Entry) => Promise<ConsoleView>): Handler {
    return this.#page(async (context, request) => {
      const entry = await this.#entryOf(request);
      return entry === undefined ? undefined : make(context, entry);
    });
  }

  /** `completed`: returns the filter that the pieces really use. The record of the export names this filter. */
  #csv(
    name: string,
    head: readonly string[],
    pieces: (context: ConsoleContext, filter: ListFilter) => AsyncIterable<Piece>,
    completed = (_: ConsoleContext, filter: ListFilter) => filter,
  ): Handler {
    return async (request, response) => {
      const context = await this.#enter(request, response);
      if (context === undefined) return;
      const filter = completed(context, await this.#filterIn(request, context));
      const note = (taken: TakenRows) => noteExport(this.#services, context, { name, filter }, taken);
      const cutWords = context.say(
        "Возможно, это не всё: данных слишком много. Выберите меньше.",
        "Rows may be missing: there is too much. Choose less.",
      );
      await sendCsv(request, response, { name, head, pieces: pieces(context, filter), cutWords, note });
    };
  }

  async #filterIn(request: Request, { zone }: ConsoleContext): Promise<ListFilter> {
    const filter = filterOf(queryOf(request), zone);
    return filter.accountId === undefined ? filter : withNamedAccount(filter, await this.#services.installations());
  }

  /** The key is a journal number or a document id. Of several entries with one document id, the newest wins. */
  async #entryOf(request: Request): Promise<Entry | undefined> {
    const key = paramOf(request, "key");
    const byNumber = /^\d{1,15}$/.test(key) ? await this.#services.journal.get(Number(key)) : undefined;
    if (byNumber !== undefined) return byNumber;
    const [found] = await this.#services.journal.heads.search({ term: { names: [], documentId: key }, limit: 1 });
    return found === undefined ? undefined : this.#services.journal.get(found.id);
  }

  async #paymentOf(request: Request): Promise<Payment | undefined> {
    const [found] = await this.#services.payments.search({ id: paramOf(request, "id"), limit: 1 });
    if (found === undefined || isReadable(found)) return found;
    throw new Failure("payment-unreadable", "fault", found.problem);
  }

  #memberOf(request: Request): Promise<MemberParts | undefined> {
    return memberParts(this.#services, paramOf(request, "id"));
  }

  async #pdf(request: Request, response: Response): Promise<void> {
    const context = await this.#enter(request, response);
    if (context === undefined) return;
    const entry = await this.#entryOf(request);
    if (entry?.facts === undefined) return this.#problem(request, response, "nothing-here");
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Content-Disposition", `attachment; filename="receipt-${entry.id}.pdf"`);
    answerBytes(response, 200, "application/pdf", await this.#services.pdfOf(entry));
  }

  /** `find` returns undefined when the object does not exist. */
  #act<T>(
    find: (request: Request) => Promise<T | undefined>,
    act: (context: ConsoleContext, found: T, form: ReadonlyMap<string, string>) => Promise<Acted>,
  ): Handler {
    return async (request, response) => {
      const context = await this.#inside(request, response);
      if (context === undefined) return this.#leadToLogin(request, response, await formOf(request, { fields: STRANGERS_FIELDS }));
      const read = await formOf(request);
      if ("problem" in read) return this.#problem(request, response, read.problem);
      if (!isOwnAct(this.#services, request, { given: read.form.get("csrf"), expected: context.session.csrf }))
        return this.#problem(request, response, "forged");
      const found = await find(request);
      if (found === undefined) return this.#problem(request, response, "nothing-here");
      const { status, view } = await act(context, found, read.form);
      this.#send(response, status, context, view);
    };
  }

  /** Undefined: no session, and the response leads to the login. */
  async #enter(request: Request, response: Response): Promise<ConsoleContext | undefined> {
    const context = await this.#inside(request, response);
    if (context === undefined) this.#leadToLogin(request, response);
    return context;
  }

  /** Undefined: no session. */
  async #inside(request: Request, response: Response): Promise<ConsoleContext | undefined> {
    const session = await sessionOf(this.#services, request, response);
    if (session === undefined) return undefined;
    const language = languageIn(request);
    return { say: sayIn(language), language, zone: this.#services.zone, nowMs: this.#services.clock.nowMs(), session };
  }

  /**
   * `read`: a form that arrived without a session. If it comes from this server and is not too large, the login carries it, so that nothing
   * typed is lost.
   */
  #leadToLogin(request: Request, response: Response, read?: FormRead): void {
    const form = read === undefined || "problem" in read ? undefined : read.form;
    const kept = form === undefined || !isOwnAct(this.#services, request) ? undefined : keptForm(request.originalUrl, form);
    if (kept !== undefined) {
      this.#login(request, response, 401, kept.kind === "kept" ? { kept } : { kept, from: pageOfForm(kept.path) });
      return;
    }
    const from = request.method === "GET" ? `?from=${encodeURIComponent(request.originalUrl)}` : "";
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Location", `${BASE}/login${from}`);
    response.statusCode = 303;
    response.end();
  }

  #send(response: Response, status: number, { language, session }: ConsoleContext, view: ConsoleView): void {
    setPolicy(response);
    sendMarkup(response, status, consoleDocument(this.#assets, language, view, session));
  }

  #login(request: Request, response: Response, status: number, typed: LoginParts): void {
    const language = languageIn(request);
    const from = ownPath(typed.from ?? queryOf(request).get("from"));
    setPolicy(response);
    const view = loginPage(sayIn(language), present({ ...typed, from }));
    sendMarkup(response, status, consoleDocument(this.#assets, language, view, undefined));
  }

  async #logIn(request: Request, response: Response): Promise<void> {
    const read = await formOf(request, { fields: STRANGERS_FIELDS });
    if ("problem" in read) return this.#problem(request, response, read.problem);
    const { form } = read;
    if (!isOwnAct(this.#services, request)) return this.#problem(request, response, "forged");
    const kept = broughtBack(form);
    const from = kept?.kind === "lost" ? pageOfForm(kept.path) : form.get("from");
    const [login, password] = [form.get("login")?.trim().slice(0, MAX_LOGIN) ?? "", form.get("password") ?? ""];
    const browser = knownBrowser(this.#services, request, login);
    const network = networkOf(this.#services.callerOf(request));
    const tried = await this.#services.users.check(login, new Secret(password), { network, ...present({ browser }) });
    if (tried.kind !== "in") {
      logOf(response).warn({ login, outcome: tried.kind }, "a login to the console was refused");
      const wanted = present({ from, kept });
      const typed = { login, problem: tried.kind, ...wanted };
      return this.#login(request, response, tried.kind === "wrong" ? 401 : 429, typed);
    }
    const { text, lastsMs } = this.#services.sessions.begin(tried.login);
    logOf(response).info({ login }, "somebody has logged in to the console");
    setSession(response, this.#services, text, lastsMs);
    rememberBrowser(response, this.#services, tried.login, browser);
    const session = kept?.kind === "kept" ? await this.#services.sessions.open(text) : undefined;
    if (kept?.kind !== "kept" || session === undefined) return away(response, ownPath(from) ?? `${BASE}/`);
    this.#resume(request, response, kept, session);
  }

  #resume(request: Request, response: Response, kept: KeptForm, session: ConsoleSession): void {
    const language = languageIn(request);
    setPolicy(response);
    sendMarkup(response, 200, consoleDocument(this.#assets, language, resumePage(sayIn(language), kept, session), session));
  }

  async #logOut(request: Request, response: Response): Promise<void> {
    const [text, session] = [sessionText(request), await sessionOf(this.#services, request, response)];
    const read = await formOf(request, { fields: STRANGERS_FIELDS });
    if ("problem" in read) return this.#problem(request, response, read.problem);
    const { form } = read;
    if (session !== undefined && !isOwnAct(this.#services, request, { given: form.get("csrf"), expected: session.csrf }))
      return this.#problem(request, response, "forged");
    if (text !== undefined) await this.#services.sessions.end(text);
    setSession(response, this.#services, "", 0);
    away(response, `${BASE}/login`);
  }
}
