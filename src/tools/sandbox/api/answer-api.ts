import type { IncomingMessage, ServerResponse } from "node:http";
import { pause } from "../../../kernel/clock.ts";
import type { Log } from "../../../kernel/log.ts";
import type { Account } from "../account/account.ts";
import type { Call, ErrorPlaces } from "../call/call.ts";
import { Refusal, refused } from "../call/refusal.ts";
import type { Downloads } from "../files/downloads.ts";
import type { SandboxSettings } from "../settings.ts";
import type { SolutionHost } from "../solution/host.ts";
import type { Catalogue } from "../types/entity-type.ts";
import type { JsonObject } from "../values/json.ts";
import { answerHeaders } from "./admission/answer-headers.ts";
import { authenticate } from "./admission/authentication.ts";
import type { FailedLogins } from "./admission/failed-logins.ts";
import type { ParallelLimit } from "./admission/parallel-limit.ts";
import { limitKey, type RateLimit, type RateTaken, UNTOUCHED, weightOf } from "./admission/rate-limit.ts";
import { endOfVersion, isWithdrawn, WITHDRAWN } from "./admission/version-end.ts";
import { type Answer, firstCode, refusedAnswer } from "./answers/answer.ts";
import { pageAnswer, writeAnswer } from "./answers/wire.ts";
import { answerControl } from "./control/control.ts";
import type { LoyaltyControlParts } from "./control/loyalty-control.ts";
import type { QrControlParts } from "./control/qr-control.ts";
import type { SolutionControlParts } from "./control/solution-control.ts";
import type { Counters } from "./counters/counters.ts";
import { FAULT_DELAY_MS, type Faults } from "./faults.ts";
import { readControlBody } from "./requests/control-body.ts";
import { BodyPlaces } from "./requests/error-places.ts";
import type { HeaderNames } from "./requests/header-names.ts";
import { parseJsonText } from "./requests/json-text.ts";
import { readRequestBody } from "./requests/request-body.ts";
import { acceptsGzip, checkAccept, headerBytes, isOn, languageOf, MAX_HEADER_BYTES, mutedWebhooks } from "./requests/request-headers.ts";
import { MAX_URL_LENGTH, readTarget, type Target } from "./requests/target.ts";
import { type ApiRoute, matchRoute } from "./routes/route.ts";
import { redirectToApi } from "./routes/web-address.ts";

interface ApiParts {
  readonly account: Account;
  readonly catalogue: Catalogue;
  readonly routes: readonly ApiRoute[];
  readonly settings: SandboxSettings;
  /** Returns the origin in hrefs. Valid after the sandbox has begun to listen. */
  readonly base: () => string;
  readonly localBase: () => string;
  readonly log: Log;
  readonly names: HeaderNames;
  readonly failedLogins: FailedLogins;
  readonly rates: RateLimit;
  readonly parallel: ParallelLimit;
  /** Whether the rate and parallel limits refuse requests. */
  readonly limited: boolean;
  readonly faults: Faults;
  readonly counters: Counters;
  readonly downloads: Downloads;
  /** Undefined: no solution was named. */
  readonly solution: (SolutionControlParts & { readonly host: SolutionHost }) | undefined;
  readonly qr: QrControlParts;
  readonly loyalty: LoyaltyControlParts;
}

/** The state of one request until its answer. */
interface Passing {
  readonly request: IncomingMessage;
  readonly method: string;
  readonly language: "ru" | "en";
  readonly errorLink: string;
  rate: RateTaken;
  /** The day when the requested version is withdrawn. Undefined: no day is set. */
  versionEnds: string | undefined;
  /** Empty until the body is read. */
  body: Buffer;
  /** Whether the body was read as JSON. */
  json: boolean;
  readonly places: ErrorPlaces;
  /** Frees the request's place in the parallel limit. */
  leave(): void;
  /** Whether the fault `lost-answer` strikes this request. */
  lost: boolean;
  slow: boolean;
}

/** The caller closed the connection before the request was complete, so no answer is possible. */
const GONE = "gone";

/** Checks and executes one request, and writes the answer. Never throws. */
export async function answerApi(parts: ApiParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const passing: Passing = {
    request,
    method: request.method ?? "GET",
    language: languageOf(request.headers["accept-language"]),
    errorLink: parts.names.errorLink,
    rate: UNTOUCHED,
    versionEnds: undefined,
    body: Buffer.alloc(0),
    json: false,
    places: new BodyPlaces(() => (passing.json ? passing.body.toString("utf8") : undefined)),
    leave() {},
    lost: false,
    slow: false,
  };
  try {
    const answer = await answerOf(parts, passing);
    if (answer === GONE) return;
    if (passing.slow) await pause(parts.account.clock, FAULT_DELAY_MS);
    count(parts, passing, answer);
    if (passing.lost && answer.status < 400) {
      request.socket.destroy();
      return;
    }
    await write(parts, passing, response, answer);
  } catch (error) {
    parts.log.error({ err: error }, "an answer could not be written");
    response.destroy();
  } finally {
    passing.leave();
  }
}

/**
 * Writes the answer. If this fails before anything was sent, writes the error 1999, because a closed connection would explain nothing to
 * the caller.
 */
async function write(parts: ApiParts, passing: Passing, response: ServerResponse, answer: Answer): Promise<void> {
  const { headers } = passing.request;
  const form = { gzip: acceptsGzip(headers["accept-encoding"]), pretty: isOn(passing.request, parts.names.pretty) };
  const whole = (given: Answer) => ({ ...given, headers: { ...answerHeaders(given, passing, parts.names), ...given.headers } });
  try {
    await writeAnswer(response, whole(answer), form);
  } catch (error) {
    parts.log.error({ err: error }, "an answer could not be written");
    if (response.headersSent) throw error;
    await writeAnswer(response, whole(refusedAnswer(refused(1999), passing)), form);
  }
}

async function answerOf(parts: ApiParts, passing: Passing): Promise<Answer | typeof GONE> {
  try {
    const answer = await pass(parts, passing);
    // A successful write has already waited for the disk.
    if (!WRITES.has(passing.method)) await parts.account.lasting();
    if (parts.account.isLost) throw refused(1095);
    return answer;
  } catch (error) {
    // A refusal also waits for the disk, because it may depend on changes in memory, such as a name in use.
    await parts.account.lasting();
    return refusedAnswer(refusalOf(error, parts), passing);
  }
}

/** Returns the refusal for an error. A lost account answers everything with 1095, and only the person who runs the sandbox is told why. */
function refusalOf(error: unknown, { account, log }: ApiParts): Refusal {
  if (account.isLost) return refused(1095);
  if (error instanceof Refusal) return error;
  log.error({ err: error }, "a request failed inside the sandbox");
  return refused(1999);
}

/** Runs the checks in their order. Each check passes the request on or answers it. */
async function pass(parts: ApiParts, passing: Passing): Promise<Answer | typeof GONE> {
  const { request } = passing;
  const { url = "/" } = request;
  if (url.length > MAX_URL_LENGTH) return pageAnswer(414);
  if (headerBytes(request) > MAX_HEADER_BYTES) return pageAnswer(431);
  const target = readTarget(url);
  if (target.kind === "sandbox") return answerOwn(parts, passing, target);
  if (target.kind === "keys") return answerKeySet(parts);
  if (target.kind === "vendor") return answerVendor(parts, passing, target.path);
  if (target.kind === "nowhere") return pageAnswer(target.status);
  passing.versionEnds = endOfVersion(target.version, parts.settings);
  if (isWithdrawn(passing.versionEnds, parts.account.clock)) return WITHDRAWN;
  if (lacksGzip(parts, request)) return { status: 415 };
  const call = admit(parts, passing, target);
  if (parts.faults.strikes("html-error")) return pageAnswer(503);
  passing.slow = parts.faults.strikes("slow-answer");
  passing.lost = WRITES.has(passing.method) && parts.faults.strikes("lost-answer");
  checkAccept(request.headers.accept, parts.settings.accept);
  const body = await readRequestBody(request);
  if (body === undefined) return GONE;
  passing.body = body;
  return carryOut(parts, passing, target, call);
}

const WRITES = new Set(["POST", "PUT", "DELETE"]);

async function answerOwn(
  parts: ApiParts,
  { request, method }: Passing,
  { path, query }: Target & { kind: "sandbox" },
): Promise<Answer | typeof GONE> {
  const body = await readControlBody(request);
  return body === undefined ? GONE : answerControl({ path, query, method, body }, parts);
}

/** Answers with the public keys of QR tokens. No login is needed (platform-contracts 5.2). */
async function answerKeySet({ qr }: ApiParts): Promise<Answer> {
  const document = await qr.keys.document();
  return document === undefined ? pageAnswer(500) : { status: 200, body: document };
}

/** Answers a call of the solution's server, which authenticates with its own token. */
async function answerVendor(parts: ApiParts, { request, method }: Passing, path: string): Promise<Answer | typeof GONE> {
  const { solution } = parts;
  if (solution === undefined) return pageAnswer(404);
  if (lacksGzip(parts, request)) return { status: 415 };
  const body = await readRequestBody(request);
  if (body === undefined) return GONE;
  const { status, answer } = solution.host.desk.answer({ method, path, authorization: request.headers.authorization, body });
  // The call may have made changes that are not on disk yet, so the answer waits.
  await parts.account.lasting();
  return { status, body: { ...answer } as JsonObject };
}

/**
 * Whether to refuse the request, because its caller does not accept gzip. The JSON API (json-api 4, D42) and the vendor contract
 * (platform-contracts 3.8) demand gzip, unless the setting says otherwise.
 */
function lacksGzip({ settings }: ApiParts, { headers }: IncomingMessage): boolean {
  return settings.gzip === "demanded" && !acceptsGzip(headers["accept-encoding"]);
}

/** Authenticates the caller and applies the limits. Throws a `Refusal`. */
function admit(parts: ApiParts, passing: Passing, target: Target & { kind: "api" }): Call {
  const { account, settings, names } = parts;
  const { request } = passing;
  const caller = authenticate(account, request.headers.authorization, parts.failedLogins);
  const key = limitKey(caller);
  const place = parts.parallel.enter(key);
  passing.leave = place.leave;
  if (place.tooMany && parts.limited) throw refused(1073);
  const struck = parts.faults.strikes("burst-429");
  // A request refused by the fault costs nothing, like every refused request (json-api D23).
  const rate = parts.rates.take(key, struck ? 0 : weightOf(caller, passing.method, target.path, settings));
  passing.rate = { ...rate, refused: struck || (rate.refused && parts.limited) };
  if (passing.rate.refused) throw refused(1049);
  const base = parts.base();
  return {
    version: target.version,
    base,
    localBase: parts.localBase(),
    api: `${base}/api/remap/${target.version}`,
    caller,
    query: target.query,
    language: passing.language,
    milliseconds: isOn(request, names.milliseconds),
    precise: isOn(request, names.precision),
    mutedWebhooks: mutedWebhooks(request, names),
    settings,
    places: passing.places,
    errorLink: passing.errorLink,
  };
}

function carryOut(parts: ApiParts, passing: Passing, { path }: Target & { kind: "api" }, call: Call): Answer | Promise<Answer> {
  const { request, method } = passing;
  const match = matchRoute(parts.routes, method, path);
  if (match === "no-path") throw refused(1002, undefined, path);
  if (match === "other-method") throw refused(1039, undefined, method);
  const reading = { account: parts.account, catalogue: parts.catalogue, call };
  const moved = redirectToApi(path, /\?.*/s.exec(request.url ?? "")?.[0] ?? "", reading);
  if (moved !== undefined) return moved;
  return match.route.handle({
    reading,
    params: match.params,
    path,
    headers: request.headers,
    names: parts.names,
    bodied: passing.body.length > 0,
    json() {
      if (passing.body.length === 0) throw refused(1027);
      const value = parseJsonText(passing.body);
      passing.json = true;
      return value;
    },
  });
}

function count({ counters }: ApiParts, { request, method, body }: Passing, answer: Answer): void {
  counters.answered({ method, url: request.url ?? "/", status: answer.status, body, code: firstCode(answer) });
}
