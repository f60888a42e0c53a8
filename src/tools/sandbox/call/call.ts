import type { SandboxSettings } from "../settings.ts";
import type { Reference } from "../values/stored.ts";
import type { ApiError } from "./refusal.ts";

/** The versions that the sandbox answers (json-api 2). */
export type Version = "1.0" | "1.1" | "1.2";

/** The sender of a request. A solution acts as administrator, but some resources are for users only (55005). */
export type Caller =
  | { readonly kind: "user"; readonly employee: Reference; readonly login: string; readonly administrator: boolean }
  | { readonly kind: "solution"; readonly appId: string; readonly employee: Reference; readonly administrator: true };

/** A place in a text. Line and column are counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Finds the places of errors in the body's text (json-api 10.1). */
export interface ErrorPlaces {
  /** Returns the place. Undefined: no body was read as JSON. */
  of(error: ApiError): TextPlace | undefined;
}

/** The parts of a request that the code behind the checks needs. */
export interface Call {
  readonly version: Version;
  /** The origin in hrefs: the public address, without a slash at its end. */
  readonly base: string;
  /**
   * The origin that the caller reached. It differs from `base` behind a TLS proxy. Hrefs with either origin belong to this
   * account.
   */
  readonly localBase: string;
  /** `{base}/api/remap/{version}`. */
  readonly api: string;
  readonly caller: Caller;
  readonly query: URLSearchParams;
  readonly language: "ru" | "en";
  readonly milliseconds: boolean;
  /** Whether the header `X-Platform-Precision` asks for money that is not rounded to whole kopecks. */
  readonly precise: boolean;
  /** Prefixes of webhook addresses that get no notification of this request (json-api 9.6). `all`: no webhook gets one. */
  readonly mutedWebhooks: readonly string[] | "all";
  readonly settings: SandboxSettings;
  /** The beginning of the link in an error (json-api 10.1). Undefined: no caller reads the errors. */
  readonly errorLink?: string;
  /** Undefined: there is no body, because the sandbox itself makes the call. */
  readonly places?: ErrorPlaces;
}
