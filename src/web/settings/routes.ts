import { Router } from "express";
import { answerBytes, answerJson } from "../../http/answer.ts";
import { parseJson } from "../../http/json-body.ts";
import { readBody } from "../../http/raw-body.ts";
import { logOf } from "../../http/request-context.ts";
import { type ContractAnswers, contractRouter, type Handler } from "../../http/route.ts";
import { networkOf } from "../../http/source.ts";
import { Allowances } from "../../kernel/allowances.ts";
import { messageOf } from "../../kernel/failure.ts";
import { present } from "../../kernel/present.ts";
import { type Assets, answerAsset, readAssets } from "../assets.ts";
import type { Markup } from "../html.ts";
import { type Language, languageOf, sayIn } from "../language.ts";
import { documentMarkup, type View, viewMarkup } from "../layout.ts";
import { isOwnOrigin } from "../own-requests.ts";
import { type Problem, problemOf, problemWords } from "../problem-words.ts";
import { receiptMarkup } from "../receipt-view.ts";
import { formOf, isPart, paramOf, queryOf, type Request, type Response, sendMarkup, setPolicy } from "../requests.ts";
import { type Answered, activate, enrolAgentHere, registerForm, saveRegister, saveSettings, testRegister, testSlip } from "./acts.ts";
import { acceptAgent, agentPart } from "./agents/agent-acts.ts";
import type { PageContext } from "./context.ts";
import { settleDoubt } from "./doubt-acts.ts";
import { SETTINGS_ENDPOINTS, type SettingsCallId } from "./endpoints.ts";
import { changedForm, loyaltyPage, previewSample, saveProgramme, switchLoyalty } from "./loyalty/programme-acts.ts";
import { erase, grant, memberPage, membersPage } from "./members/members-acts.ts";
import { madeEntry, operationsOf, storePage, storesPage, waitingView } from "./pages.ts";
import { acquirerForm, saveAcquirer } from "./payments/acquirer-acts.ts";
import { paymentPage, paymentsPage, refund } from "./payments/payments-acts.ts";
import { type NamedPoint, pointNamed } from "./point.ts";
import { problemPart, problemView } from "./problem-page.ts";
import type { SettingsPageServices, WindowProof } from "./services.ts";
import { cookieOf, enter, sessionIn, type Visit } from "./session/gate.ts";
import type { PageSession } from "./session/session.ts";
import { proofSchema } from "./session/session-schema.ts";
import { WatchedPoints } from "./watched-points.ts";

const BASE = "/settings";
/**
 * The rate of proof checks with the platform. Windows open a few times a second at most, and a caller may send invented proofs. The rate of
 * one network is lower, so that one network cannot block all windows.
 */
const PROOFS = { most: 240, refillMs: 100, names: 1 };
const PROOFS_OF_NETWORK = { most: 60, refillMs: 500, names: 10_000 };
const MAX_PROOF_BYTES = 8 * 1024;
/** The longest programme, with six form bytes for each letter, and the control names of 200 rules. */
const MAX_PROGRAMME_BYTES = 8 * 1024 * 1024;

/** Returns the routes of the settings page; mount them at `/settings`, behind the request context. */
export function settingsRoutes(services: SettingsPageServices): Router {
  const assets = readAssets(BASE);
  const pages = new SettingsPages(services, assets);
  const router = Router({ caseSensitive: true });
  for (const asset of Object.values(assets)) router.get(asset.path, answerAsset(asset));
  router.use(contractRouter(SETTINGS_ENDPOINTS, pages.handlers(), pages.answers()));
  return router;
}

type ActWithForm = (context: PageContext, form: ReadonlyMap<string, string>, request: Request) => Promise<Answered | undefined>;

class SettingsPages {
  readonly #services: SettingsPageServices;
  readonly #assets: Assets;
  readonly #proofs: Allowances;
  readonly #proofsOfNetwork: Allowances;
  readonly #watched: WatchedPoints;

  constructor(services: SettingsPageServices, assets: Assets) {
    this.#services = services;
    this.#assets = assets;
    this.#watched = new WatchedPoints(services);
    this.#proofs = new Allowances(services.clock, PROOFS);
    this.#proofsOfNetwork = new Allowances(services.clock, PROOFS_OF_NETWORK);
  }

  handlers(): Record<SettingsCallId, Handler> {
    const services = this.#services;
    return {
      page: (request, response) => this.#shell(request, response, 200),
      session: (request, response) => this.#session(request, response),
      stores: this.#reading((context) => storesPage(services, context)),
      store: this.#ofPoint((context, point) => storePage(services, context, point)),
      state: this.#reading(async (context, request) => {
        const state = await this.#watched.stateOf(context, paramOf(request, "storeId"));
        if (state === undefined) return undefined;
        return queryOf(request).get("since") === state.version ? "unchanged" : state.markup;
      }),
      registerForm: this.#actOnPoint((context, point, form) => registerForm(services, context, point, form)),
      operations: this.#ofPoint((context, point) => operationsOf(services, context, point)),
      receipt: this.#reading(async (context, request) => {
        const entry = await madeEntry(services, context, paramOf(request, "operation"), queryOf(request).get("kind"));
        return entry === undefined ? undefined : receiptMarkup(services.paperOf(entry));
      }),
      receiptPdf: (request, response) => this.#pdf(request, response),
      activation: this.#acting((context) => activate(services, context).then((markup) => ({ status: 200, markup }))),
      saveSettings: this.#actOnPoint((context, point, form) => saveSettings(services, context, point, form)),
      saveRegister: this.#actOnPoint((context, point, form) => saveRegister(services, context, point, form)),
      testRegister: this.#actOnPoint((context, point, form) => testRegister(services, context, point, form)),
      acquirerForm: this.#actOnPoint((context, point, form) => acquirerForm(services, context, point, form)),
      saveAcquirer: this.#actOnPoint((context, point, form) => saveAcquirer(services, context, point, form)),
      payments: this.#reading((context) => paymentsPage(services, context)),
      payment: this.#reading((context, request) => paymentPage(services, context, paramOf(request, "paymentId"))),
      refund: this.#actingWith((context, form, request) => refund(services, context, paramOf(request, "paymentId"), form)),
      members: this.#reading((context, request) => membersPage(services, context, queryOf(request).get("q") ?? "")),
      member: this.#reading((context, request) => memberPage(services, context, paramOf(request, "memberId"))),
      grant: this.#actingWith((context, form, request) => grant(services, context, paramOf(request, "memberId"), form)),
      erase: this.#acting(async (context, request) => {
        const markup = await erase(services, context, paramOf(request, "memberId"));
        return markup === undefined ? undefined : { status: 200, markup };
      }),
      ...this.#loyaltyHandlers(),
      agent: this.#reading(async (context, request) => {
        const point = await pointNamed(services, context, paramOf(request, "storeId"));
        const part = point && (await agentPart(services, context, point));
        return part && (queryOf(request).get("since") === part.version ? "unchanged" : part.markup);
      }),
      enrolAgent: this.#actOnPoint((context, point, form) => enrolAgentHere(services, context, point, form)),
      acceptAgent: this.#actOnPoint((context, point) => acceptAgent(services, context, point)),
      settle: this.#actOnPoint((context, point, form, request) =>
        settleDoubt(services, context, point, { number: paramOf(request, "entryId"), form }),
      ),
      testSlip: this.#actOnPoint((context, point) => testSlip(services, context, point)),
    };
  }

  answers(): ContractAnswers {
    return {
      unknownPath: (request, response) => this.#problem(request, response, "nothing-here"),
      wrongMethod: (request, response) => this.#problem(request, response, "wrong-method"),
      fault: (error, request, response) => {
        logOf(response).error({ reason: messageOf(error) }, "a page failed");
        this.#problem(request, response, problemOf(error));
      },
    };
  }

  /** Sends the problem as a whole page, or as a part for the page's script. */
  #problem(request: Request, response: Response, problem: Problem): void {
    const session = sessionIn(this.#services, request);
    const query = queryOf(request);
    const language = session?.language ?? languageOf(query.get("userLocale"), request.headers["accept-language"]);
    const say = sayIn(language);
    const { status } = problemWords(say, problem);
    setPolicy(response, this.#services.hostOrigin);
    // By this header the script decides, before it reads the answer, whether a new session helps.
    response.setHeader("X-Problem", problem);
    const named = session ?? present({ appId: query.get("appId") });
    const whole = isWholePage(request);
    sendMarkup(response, status, whole ? this.#document(language, named, problemView(say, problem)) : problemPart(say, problem, request));
  }

  #loyaltyHandlers() {
    const services = this.#services;
    const withProgramme = (act: ActWithForm) => this.#actingWith(act, MAX_PROGRAMME_BYTES);
    return {
      loyalty: this.#reading((context) => loyaltyPage(services, context)),
      saveLoyalty: withProgramme((context, form) => saveProgramme(services, context, form)),
      loyaltyForm: withProgramme((context, form, request) => changedForm(services, context, form, queryOf(request))),
      loyaltyPreview: withProgramme((context, form) => previewSample(services, context, form)),
      loyaltyOn: this.#acting((context) => switchLoyalty(services, context, "on").then((markup) => ({ status: 200, markup }))),
      loyaltyOff: this.#acting((context) => switchLoyalty(services, context, "off").then((markup) => ({ status: 200, markup }))),
    };
  }

  /** `make` returns undefined when the account has no such object. */
  #reading(make: (context: PageContext, request: Request) => Promise<View | Markup | "unchanged" | undefined>): Handler {
    return async (request, response) => {
      const context = await this.#enter(request, response);
      if (context === undefined) return;
      const made = await make(context, request);
      if (made === undefined) return this.#problem(request, response, "nothing-here");
      if (made === "unchanged") return unchanged(response);
      if (!isView(made)) return sendMarkup(response, 200, made);
      if (isPart(request)) return sendMarkup(response, 200, viewMarkup(made));
      setPolicy(response, this.#services.hostOrigin);
      sendMarkup(response, 200, this.#document(context.language, context.session, made));
    };
  }

  #ofPoint(make: (context: PageContext, point: NamedPoint, request: Request) => Promise<View | Markup | "unchanged">): Handler {
    return this.#reading(async (context, request) => {
      const point = await pointNamed(this.#services, context, paramOf(request, "storeId"));
      return point === undefined ? undefined : make(context, point, request);
    });
  }

  /** Only administrators may act. */
  #acting(act: (context: PageContext, request: Request) => Promise<Answered | Problem | undefined>): Handler {
    return async (request, response) => {
      const context = await this.#enter(request, response);
      if (context === undefined) return;
      if (!context.mayChange) return this.#problem(request, response, "administrators-only");
      const answered = await act(context, request);
      if (answered === undefined) return this.#problem(request, response, "nothing-here");
      if (typeof answered === "string") return this.#problem(request, response, answered);
      sendMarkup(response, answered.status, answered.markup);
    };
  }

  #actingWith(act: ActWithForm, maxBytes?: number): Handler {
    return this.#acting(async (context, request) => {
      const read = await formOf(request, { bytes: maxBytes });
      return "problem" in read ? read.problem : act(context, read.form, request);
    });
  }

  #actOnPoint(
    act: (context: PageContext, point: NamedPoint, form: ReadonlyMap<string, string>, request: Request) => Promise<Answered | undefined>,
  ): Handler {
    return this.#actingWith(async (context, form, request) => {
      const point = await pointNamed(this.#services, context, paramOf(request, "storeId"));
      return point === undefined ? undefined : act(context, point, form, request);
    });
  }

  async #pdf(request: Request, response: Response): Promise<void> {
    const context = await this.#enter(request, response);
    if (context === undefined) return;
    const entry = await madeEntry(this.#services, context, paramOf(request, "operation"), queryOf(request).get("kind"));
    if (entry === undefined) return this.#problem(request, response, "nothing-here");
    const pdf = await this.#services.pdfOf(entry);
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Content-Disposition", "attachment");
    answerBytes(response, 200, "application/pdf", pdf);
  }

  /** Undefined: the request has no valid session or is forged, and it was answered. */
  async #enter(request: Request, response: Response): Promise<PageContext | undefined> {
    const entrance = await enter(this.#services, request, response);
    if (entrance.kind === "in") return this.#contextOf(entrance.visit);
    if (entrance.kind === "forged") {
      logOf(response).warn({}, "a request to the settings page came from another site or another session");
      this.#problem(request, response, "forged");
      return undefined;
    }
    // A request for a whole page gets a page whose script begins a session.
    if (isWholePage(request)) this.#shell(request, response, 401);
    else this.#problem(request, response, "no-session");
    return undefined;
  }

  #mayProve(request: Request): boolean {
    return this.#proofsOfNetwork.take(networkOf(this.#services.callerOf(request))) && this.#proofs.take("proofs");
  }

  #contextOf({ session, installation }: Visit): PageContext {
    const { language, administrator } = session;
    return { say: sayIn(language), language, session, installation, mayChange: administrator, nowMs: this.#services.clock.nowMs() };
  }

  #shell(request: Request, response: Response, status: number): void {
    const query = queryOf(request);
    const language = languageOf(query.get("userLocale"), request.headers["accept-language"]);
    setPolicy(response, this.#services.hostOrigin);
    sendMarkup(response, status, this.#document(language, present({ appId: query.get("appId") }), waitingView(sayIn(language))));
  }

  /** Without a session the script of the document begins one. */
  #document(
    language: Language,
    { appId, accountId, csrf }: Partial<Pick<PageSession, "appId" | "accountId" | "csrf">>,
    view: View,
  ): Markup {
    const { hostOrigin } = this.#services;
    const links = linksIn(language);
    return documentMarkup({ language, assets: this.#assets, hostOrigin, links, ...present({ appId, accountId, csrf }) }, view);
  }

  async #session(request: Request, response: Response): Promise<void> {
    const { origin, host } = request.headers;
    // Another site must not set a session of its choice in a person's browser.
    if (origin !== undefined && !isOwnOrigin(this.#services.publicUrl, origin, host)) return this.#problem(request, response, "forged");
    const body = await readBody(request, { maxBytes: MAX_PROOF_BYTES });
    if (body.kind === "aborted") return;
    const json = body.kind === "body" ? parseJson(body.bytes) : undefined;
    const read = proofSchema.safeParse(json?.kind === "json" ? json.value : undefined);
    const proof = read.success ? proofIn(read.data) : undefined;
    if (!read.success || proof === undefined || !this.#mayProve(request)) return this.#problem(request, response, "unconfirmed");
    const identified = await this.#services.identify(read.data.appId, proof);
    if (identified.kind === "nobody") {
      logOf(response).warn({ why: identified.why }, "a window could not show who is before it");
      return this.#problem(request, response, "unconfirmed");
    }
    const { sessions, clock } = this.#services;
    const { text, session } = sessions.begin(identified.user, languageOf(read.data.language, request.headers["accept-language"]));
    response.setHeader("Set-Cookie", cookieOf(text, session, clock.nowMs()));
    response.setHeader("Cache-Control", "no-store");
    const expiresAt = new Date(session.expiresAtMs).toISOString();
    answerJson(response, 200, { session: text, role: session.role, account: session.accountId, expiresAt });
  }
}

function proofIn({ token, contextKey }: { token?: string | undefined; contextKey?: string | undefined }): WindowProof | undefined {
  if (token !== undefined) return { kind: "token", token };
  return contextKey === undefined ? undefined : { kind: "context-key", contextKey };
}

function linksIn(language: PageContext["language"]) {
  const say = sayIn(language);
  return [
    { page: "stores" as const, address: `${BASE}/stores`, label: say("Точки продаж", "Points of sale") },
    { page: "payments" as const, address: `${BASE}/payments`, label: say("Оплаты по QR", "QR payments") },
    { page: "loyalty" as const, address: `${BASE}/loyalty`, label: say("Программа", "Programme") },
    { page: "members" as const, address: `${BASE}/members`, label: say("Участники", "Members") },
  ];
}

function isView(made: View | Markup): made is View {
  return typeof made === "object" && "page" in made;
}

function unchanged(response: Response): void {
  response.statusCode = 204;
  response.end();
}

/** A page's script requests only parts. */
function isWholePage(request: Request): boolean {
  return request.method === "GET" && !isPart(request) && request.headers.authorization === undefined;
}
