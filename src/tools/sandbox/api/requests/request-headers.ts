import type { IncomingMessage } from "node:http";
import { Refusal } from "../../call/refusal.ts";
import type { SandboxSettings } from "../../settings.ts";
import type { HeaderNames } from "./header-names.ts";

/** The largest size of all headers together (json-api 4). */
export const MAX_HEADER_BYTES = 8 * 1024;

export function headerBytes(request: IncomingMessage): number {
  // Two bytes follow each name and each value: `: ` or the end of the line.
  return request.rawHeaders.reduce((sum, text) => sum + Buffer.byteLength(text) + 2, 0);
}

/** Whether the caller accepts gzip by name. `*` does not count. */
export function acceptsGzip(header: string | undefined): boolean {
  return rangesOf(header ?? "").some(({ name, refused }) => name === "gzip" && !refused);
}

/**
 * Throws 1062 when the header excludes JSON in UTF-8. A missing or empty header excludes nothing. With `strict`, `application/json` needs
 * its charset (json-api D3).
 */
export function checkAccept(header: string | undefined, accept: SandboxSettings["accept"]): void {
  if (header === undefined || header.trim() === "") return;
  const takesJson = ({ name, refused, charset }: Range) => {
    const usual = charset ?? (name === "application/json" && accept === "strict" ? undefined : "utf-8");
    return JSON_RANGES.has(name) && !refused && usual === "utf-8";
  };
  if (!rangesOf(header).some(takesJson)) throw new Refusal({ code: 1062, details: [header] });
}

const JSON_RANGES = new Set(["*/*", "application/json"]);

interface Range {
  readonly name: string;
  readonly refused: boolean;
  readonly charset: string | undefined;
}

function rangesOf(header: string): readonly Range[] {
  return header.split(",").map((range) => {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const values = new Map(
      parameters.map((parameter) => {
        const [key = "", value] = parameter.split("=", 2).map((part) => part.trim());
        return [key, value] as const;
      }),
    );
    return { name, refused: Number(values.get("q") ?? 1) === 0, charset: values.get("charset")?.replaceAll('"', "") };
  });
}

/** Returns the language of error texts: English if the header begins with `en`, otherwise Russian, the account's language. */
export function languageOf(header: string | undefined): "ru" | "en" {
  return /^\s*en\b/i.test(header ?? "") ? "en" : "ru";
}

export function isOn(request: IncomingMessage, name: string): boolean {
  return request.headers[name.toLowerCase()] === "true";
}

/**
 * Returns the URL prefixes of the webhooks that this request does not notify (json-api 9.6). `all`: the request notifies no webhook. Each
 * header has one prefix. Throws 3030 for a prefix without scheme or domain.
 */
export function mutedWebhooks(request: IncomingMessage, names: HeaderNames): readonly string[] | "all" {
  if (isOn(request, names.muteAll)) return "all";
  const prefixes = request.headersDistinct[names.muteByPrefix.toLowerCase()] ?? [];
  for (const prefix of prefixes) {
    if (!PREFIX.test(prefix)) throw new Refusal({ code: 3030, parameter: names.muteByPrefix, details: [names.muteByPrefix, prefix] });
  }
  return prefixes;
}

const PREFIX = /^https?:\/\/[a-z0-9][a-z0-9.-]*(:\d+)?(\/\S*)?$/i;
