import { gunzipSync } from "node:zlib";
import type { Exchange } from "../../sandbox/caller/call.ts";
import type { Sent } from "./sent.ts";

/** A request in the JSON report. A compressed body is shown decompressed. */
export interface ReportedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export type ReportedAnswer = { status: number; contentType: string; body: string } | { none: string };

/** The longest body in the JSON report. A receipt fits. The padding of an oversized body does not. */
const MAX_REPORTED_CHARACTERS = 100_000;
/** The longest body in the report for people, in characters. A longer body is shortened. */
const MAX_BODY_WORDS = 400;
/** The longest text inside a body in the report for people, in characters. Receipts, keys and padding are longer. */
const MAX_TEXT_WORDS = 90;
const SHOWN_KEY_CHARACTERS = 4;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Describes the request: `POST /fiscal/1/retaildemand with payments.cashSum "50.00"`. The JSON report has the whole request. */
export function wordsOfCall({ call, label }: Sent): string {
  const words = `${call.method} ${call.path.replaceAll(UUID, "…")}`;
  return label === "" ? words : `${words} with ${label}`;
}

export function wordsOfAnswer({ exchange }: Pick<Sent, "exchange">): string {
  if (exchange.kind === "no-answer") return `no answer after ${Math.round(exchange.elapsedMs)} ms (${exchange.reason})`;
  const type = exchange.contentType === "" ? "no Content-Type" : exchange.contentType;
  return `${exchange.status}, ${type}, ${exchange.body.length === 0 ? "empty body" : wordsOfBody(exchange.body)}`;
}

export function reportedRequest({ origin, call }: Sent): ReportedRequest {
  const { method, path, headers, body } = call;
  const packed = headers["content-encoding"] === "gzip";
  return {
    method,
    url: `${origin}${path}`,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, shownHeader(name, value)])),
    ...(body === undefined ? {} : { body: cut(textOf(packed ? gunzipSync(body) : body)) }),
  };
}

export function reportedAnswer(exchange: Exchange): ReportedAnswer {
  if (exchange.kind === "no-answer") return { none: exchange.reason };
  return { status: exchange.status, contentType: exchange.contentType, body: cut(textOf(exchange.body)) };
}

/** A loyalty access key is valid for a long time, so only its beginning is shown. */
function shownHeader(name: string, value: string): string {
  if (name.endsWith("-Discount-API-Auth-Token")) return `${value.slice(0, SHOWN_KEY_CHARACTERS)}…`;
  return name === "authorization" ? unsigned(value) : value;
}

/** Removes the signature of a token, so that nobody can use a token from a report. */
function unsigned(authorization: string): string {
  return authorization.replace(/^(Bearer [^.]+\.[^.]+\.).+$/, "$1…");
}

function wordsOfBody(bytes: Buffer): string {
  const text = textOf(bytes);
  const words = jsonWords(text) ?? text;
  return words.length <= MAX_BODY_WORDS ? words : `${words.slice(0, MAX_BODY_WORDS)}… (${bytes.length} bytes)`;
}

function jsonWords(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text), (_key, inner: unknown) => (typeof inner === "string" ? shortened(inner) : inner));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function shortened(text: string): string {
  return text.length <= MAX_TEXT_WORDS ? text : `${text.slice(0, 40)}… (${text.length} characters)`;
}

function textOf(bytes: Buffer): string {
  return bytes.toString("utf8");
}

function cut(text: string): string {
  return text.length <= MAX_REPORTED_CHARACTERS ? text : `${text.slice(0, MAX_REPORTED_CHARACTERS)}… (${text.length} characters)`;
}
