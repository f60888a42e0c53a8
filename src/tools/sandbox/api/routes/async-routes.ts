import type { AsyncTask, AsyncTasks } from "../../async/tasks.ts";
import { Refusal, refused } from "../../call/refusal.ts";
import type { Downloads } from "../../files/downloads.ts";
import { type Condition, type Operator, readConditions } from "../../reading/filter/conditions.ts";
import { datetimeConstant } from "../../reading/filter/constant.ts";
import { collectionMeta, contextOf, readPage } from "../../reading/page.ts";
import { datetimeFor, renderReference } from "../../reading/render.ts";
import type { Reading } from "../../types/entity-type.ts";
import type { Json, JsonObject } from "../../values/json.ts";
import { type Answer, ok, refusedAnswer } from "../answers/answer.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";

/** Lifetime of the link to a result (json-api 6.6). */
const RESULT_LINK_MS = 5 * 60_000;

/** The paths that can be read asynchronously (json-api 6.6). */
const ASYNCHRONOUS = new Set(["report/stock/all", "report/stock/bystore", "entity/counterparty", "entity/assortment"]);

/** The routes for status, result and cancellation of asynchronous reads. */
export function asyncRoutes(tasks: AsyncTasks, downloads: Downloads): readonly ApiRoute[] {
  return [
    { method: "GET", pattern: "async", handle: (request) => list(tasks, request) },
    { method: "GET", pattern: "async/:id", handle: ({ params, reading }) => ok(renderTask(tasks.get(params.id ?? ""), reading)) },
    { method: "GET", pattern: "async/:id/result", handle: (request) => result(tasks, downloads, request) },
    { method: "PUT", pattern: "async/:id/cancel", handle: ({ params }) => cancel(tasks, params.id ?? "") },
  ];
}

/** Returns the routes. With `async=true`, a GET route reads asynchronously, or answers 61000 if its path cannot be read asynchronously. */
export function withAsyncReading(routes: readonly ApiRoute[], tasks: AsyncTasks): readonly ApiRoute[] {
  return routes.map((route) => {
    if (route.method !== "GET") return route;
    return { ...route, handle: (request) => (isAsync(request) ? begin(route, tasks, request) : route.handle(request)) };
  });
}

function isAsync({ reading }: ApiRequest): boolean {
  return reading.call.query.get("async") === "true";
}

/** Starts a task and returns 202 with the addresses of its result and status. `limit` and `offset` are refused (61001). */
function begin(route: ApiRoute, tasks: AsyncTasks, request: ApiRequest): Answer {
  const { path, reading } = request;
  const { call } = reading;
  if (!ASYNCHRONOUS.has(path)) throw refused(61000);
  if (call.query.has("limit") || call.query.has("offset")) throw refused(61001);
  const query = new URLSearchParams(call.query);
  query.delete("async");
  const later: ApiRequest = { ...request, reading: { ...reading, call: { ...call, query } } };
  const task = tasks.start(`${call.api}/${path}?${call.query}`, call.caller.employee, () => outcomeOf(route, later));
  const status = `${call.api}/async/${task.id}`;
  return { status: 202, headers: { Location: `${status}/result`, "Content-Location": status } };
}

async function outcomeOf(route: ApiRoute, request: ApiRequest): Promise<{ status: number; body: Json }> {
  try {
    const answer = await route.handle(request);
    return { status: answer.status, body: bodyOf(answer) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, body = null } = refusedAnswer(error, request.reading.call);
    return { status, body };
  }
}

/** Returns the body of an answer as JSON. A long list is in bytes. */
function bodyOf({ body = null, json }: Answer): Json {
  return json === undefined ? body : (JSON.parse(json.toString("utf8")) as Json);
}

/** Lists the tasks. `filter` allows `state`, `request` and `deletionDate`. */
function list(tasks: AsyncTasks, { path, reading }: ApiRequest): Answer {
  const tests = readConditions(reading.call.query.get("filter") ?? "").map(testOf);
  const wanted = tasks.list().filter((task) => tests.every((test) => test(task)));
  const page = readPage(path, reading.call);
  const rows = wanted.slice(page.offset, page.offset + page.limit).map((task): Json => renderTask(task, reading));
  return ok({ context: contextOf(reading), meta: collectionMeta(path, "async", wanted.length, page, reading), rows });
}

function testOf({ key, operator, constant }: Condition): (task: AsyncTask) => boolean {
  if (key === "deletionDate") {
    const compare = COMPARISONS[operator];
    if (compare === undefined) throw refused(1034, undefined, key);
    const { value } = datetimeConstant(constant, key);
    // By default answers show whole seconds, so the comparison uses whole seconds.
    return ({ deletionMs }) => deletionMs !== undefined && compare(Math.floor(deletionMs / 1000), Math.floor(value / 1000));
  }
  if ((key !== "state" && key !== "request") || operator !== "=") throw refused(1034, undefined, key);
  return (task) => task[key] === constant;
}

const COMPARISONS: Partial<Readonly<Record<Operator, (left: number, right: number) => boolean>>> = {
  "=": (left, right) => left === right,
  "!=": (left, right) => left !== right,
  ">": (left, right) => left > right,
  "<": (left, right) => left < right,
  ">=": (left, right) => left >= right,
  "<=": (left, right) => left <= right,
};

function renderTask(task: AsyncTask, reading: Reading): JsonObject {
  const href = `${reading.call.api}/async/${task.id}`;
  return {
    meta: { href, type: "async", mediaType: "application/json" },
    id: task.id,
    accountId: reading.account.id,
    owner: renderReference(task.owner, reading),
    request: task.request,
    state: task.state,
    ...(task.state === "DONE" ? { resultUrl: `${href}/result` } : {}),
    ...(task.deletionMs === undefined ? {} : { deletionDate: datetimeFor(reading, task.deletionMs) }),
    ...(task.state === "API_ERROR" ? { errors: errorsIn(task) } : {}),
  };
}

function errorsIn({ outcome }: AsyncTask): Json | undefined {
  return typeof outcome?.body === "object" && outcome.body !== null && !Array.isArray(outcome.body) ? outcome.body.errors : undefined;
}

/** Redirects to a file link that needs no authorization. If the read was refused, answers with the refusal. */
function result(tasks: AsyncTasks, downloads: Downloads, { params, reading }: ApiRequest): Answer {
  const { status, body } = tasks.result(params.id ?? "");
  if (status >= 400) return { status, body };
  const downloadId = reading.account.passingId();
  const bytes = Buffer.from(JSON.stringify(body));
  downloads.open(downloadId, RESULT_LINK_MS, () => ({ bytes, type: "application/json;charset=utf-8", filename: "result.json" }));
  return { status: 302, headers: { Location: `${reading.call.base}/sandbox/download/${downloadId}` } };
}

function cancel(tasks: AsyncTasks, id: string): Answer {
  tasks.cancel(id);
  return { status: 204 };
}
