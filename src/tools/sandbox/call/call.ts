import type { SandboxSettings } from "../settings.ts";
import type { Reference } from "../values/stored.ts";
import type { ApiError } from "./refusal.ts";

/** Versions that are answered (reference 2; the issue asks for all three). */
export type Version = "1.0" | "1.1" | "1.2";

/** Who calls. A solution's token acts as administrator; some resources ask for a user (55005). */
export type Caller =
  | { readonly kind: "user"; readonly employee: Reference; readonly login: string; readonly administrator: boolean }
  | { readonly kind: "solution"; readonly appId: string; readonly employee: Reference; readonly administrator: true };

/** Where something stands in a text, both counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Where errors point in the body's text (10.1). */
export interface ErrorPlaces {
  /** Undefined: no body was read as JSON. */
  of(error: ApiError): TextPlace | undefined;
}

/** One request, as far as everything behind the door needs to know it. */
export interface Call {
  readonly version: Version;
  /** Origin that is written into hrefs: the public address, without a slash at its end. */
  readonly base: string;
  /** The origin that the caller reached, when that is another (behind a TLS proxy): hrefs of both are ours. */
  readonly localBase: string;
  /** `{base}/api/remap/{version}`. */
  readonly api: string;
  readonly caller: Caller;
  readonly query: URLSearchParams;
  readonly language: "ru" | "en";
  readonly milliseconds: boolean;
  /** `X-Platform-Precision`: money is not rounded to whole minor units. */
  readonly precise: boolean;
  /** Prefixes of webhook addresses that are mute for this request (9.6); `all` mutes every one. */
  readonly mutedWebhooks: readonly string[] | "all";
  readonly settings: SandboxSettings;
  /** What the link of an error begins with (10.1); undefined: nobody reads errors. */
  readonly errorLink?: string;
  /** Undefined: nobody sent a body, the sandbox works by itself. */
  readonly places?: ErrorPlaces;
}
