import { withoutSlashes } from "../../../../kernel/text-end.ts";
import type { Version } from "../../call/call.ts";
import { refused } from "../../call/refusal.ts";

/** A longer address gets 414, as from the web server in front of the platform. */
export const MAX_URL_LENGTH = 8 * 1024;

export type Target =
  | { readonly kind: "api"; readonly version: Version; readonly path: string; readonly query: URLSearchParams }
  | { readonly kind: "sandbox"; readonly path: string; readonly query: string }
  /** The public keys of QR tokens. */
  | { readonly kind: "keys" }
  /** The platform's side of the vendor contract. */
  | { readonly kind: "vendor"; readonly path: string }
  /** No resource: 404, or 503 for an unknown API. */
  | { readonly kind: "nowhere"; readonly status: 404 | 503 };

const API = /^\/api\/remap\/([^/]+)(?:\/(.*))?$/;
const OTHER_API = /^\/api\/(?!remap(?:\/|$))/;
const VENDOR = "/api/vendor/";
/** The path of the QR token keys, below the sandbox's base. */
export const KEY_SET_PATH = "/.well-known/jwks.json";
const OWN = /^\/sandbox\/(.*)$/;

/** Parses the address of a request, ignoring doubled and trailing slashes. Throws 1058 for an invalid escape in an address of the API. */
export function readTarget(url: string): Target {
  const [, rawPath = "/", rawQuery = ""] = /^(?:https?:\/\/[^/?#]*)?([^?#]*)\??([^#]*)/i.exec(url) ?? [];
  const path = withoutSlashes(rawPath.replace(/\/{2,}/g, "/"));
  const [, own] = OWN.exec(path) ?? [];
  if (own !== undefined) return { kind: "sandbox", path: own, query: rawQuery };
  if (path === KEY_SET_PATH) return { kind: "keys" };
  if (path.startsWith(VENDOR)) return { kind: "vendor", path };
  const [, version = "", rest = ""] = API.exec(path) ?? [];
  if (!isVersion(version)) return { kind: "nowhere", status: OTHER_API.test(path) ? 503 : 404 };
  if (!isDecodable(path) || !isDecodable(rawQuery)) throw refused(1058);
  return { kind: "api", version, path: rest, query: new URLSearchParams(rawQuery) };
}

function isVersion(text: string): text is Version {
  return text === "1.0" || text === "1.1" || text === "1.2";
}

/** Whether each percent sign begins an escape. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}
