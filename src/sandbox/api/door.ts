import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Log } from "../../kernel/log.ts";
import type { Account } from "../account/account.ts";
import { callerOfLogin, callerOfToken } from "../account/users.ts";
import type { SandboxSettings } from "../settings.ts";
import type { Catalogue } from "../types/catalogue.ts";
import { type Answer, refusedAnswer } from "./answer.ts";
import type { Call, Caller, Version } from "./call.ts";
import { Refusal, refused } from "./refusal.ts";
import { type ApiRoute, matchRoute } from "./route.ts";

export interface DoorParts {
  readonly account: Account;
  readonly catalogue: Catalogue;
  readonly routes: readonly ApiRoute[];
  readonly settings: SandboxSettings;
  /** The address in hrefs; known once the server listens. */
  readonly base: () => string;
  readonly log: Log;
}

/** Answers one request of the JSON API: who asks, what for, carried out, written back. Never throws. */
export async function answerApi(parts: DoorParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const language = request.headers["accept-language"] === "en" ? "en" : "ru";
  try {
    const bytes = await readBytes(request);
    await send(response, await carryOut(parts, request, bytes, language));
  } catch (error) {
    if (error instanceof Refusal) {
      await send(response, refusedAnswer(error, { language, base: parts.base() }));
      return;
    }
    parts.log.error({ err: error }, "a request failed inside the sandbox");
    await send(response, refusedAnswer(refused(1999), { language, base: parts.base() }));
  }
}

const PATH = /^\/api\/remap\/([^/]+)(?:\/(.*))?$/;

function carryOut(parts: DoorParts, request: IncomingMessage, bytes: Buffer, language: "ru" | "en"): Answer | Promise<Answer> {
  const url = new URL(request.url ?? "/", "http://sandbox");
  const [, version = "", rest = ""] = PATH.exec(url.pathname) ?? [];
  if (!isVersion(version)) return { status: 404, html: "<html><body><h1>404</h1></body></html>" };
  const caller = authenticate(parts.account, request.headers.authorization);
  const path = rest.replace(/\/+$/, "");
  const match = matchRoute(parts.routes, request.method ?? "GET", path);
  if (match === "no-path") throw refused(1002, undefined, path);
  if (match === "other-method") throw refused(1039, undefined, request.method ?? "");
  const base = parts.base();
  const call: Call = {
    version,
    base,
    localBase: base,
    api: `${base}/api/remap/${version}`,
    caller,
    query: url.searchParams,
    language,
    milliseconds: request.headers["x-platform-format-millisecond"] === "true",
    precise: false,
    mutedWebhooks: [],
    settings: parts.settings,
  };
  return match.route.handle({
    reading: { account: parts.account, catalogue: parts.catalogue, call },
    params: match.params,
    path,
    headers: request.headers,
    json: () => parseBody(bytes),
  });
}

function isVersion(text: string): text is Version {
  return text === "1.0" || text === "1.1" || text === "1.2";
}

function authenticate(account: Account, header: string | undefined): Caller {
  const [scheme = "", value = ""] = (header ?? "").split(" ");
  const caller = scheme === "Basic" ? ofBasic(account, value) : scheme === "Bearer" ? callerOfToken(account, value) : undefined;
  if (caller === undefined) throw refused(1056);
  return caller;
}

function ofBasic(account: Account, value: string): Caller | undefined {
  const text = Buffer.from(value, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? undefined : callerOfLogin(account, text.slice(0, colon), text.slice(colon + 1));
}

function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw refused(1027);
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    // What is no JSON is the caller's mistake and has its own code.
    throw refused(2001);
  }
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const compress = promisify(gzip);

async function send(response: ServerResponse, answer: Answer): Promise<void> {
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  if (answer.html !== undefined) {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(answer.html);
    return;
  }
  if (answer.body === undefined) {
    response.end();
    return;
  }
  response.setHeader("Content-Type", "application/json;charset=utf-8");
  response.setHeader("Content-Encoding", "gzip");
  response.end(await compress(JSON.stringify(answer.body)));
}
