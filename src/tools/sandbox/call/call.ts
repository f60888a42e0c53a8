import type { SandboxSettings } from "../settings.ts";
import type { Reference } from "../values/stored.ts";
import type { ApiError } from "./refusal.ts";

/** The versions that the sandbox answers (json-api 2). */
export type Version = "1.0" | "1.1" | "1.2";

/** The sender of a request. A solution acts as administrator, but some resources are for users only (55005). */
export type Caller =
  | { readonly kind: "user"; readonly employee: Reference; readonly login: string; readonly administrator: boolean }
  | { readonly kind: "solution"; readonly appId: string; readonly employee: Reference; readonly administrator: true };

/** A place in a text, counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Finds the place of an error in the body's text (json-api 10.1). */
export interface ErrorPlaces {
  /** Undefined: no body was read as JSON. */
  of(error: ApiError): TextPlace | undefined;
}

/** The parts of a request that are needed after the request has passed the checks. */
export interface Call {
  readonly version: Version;
  /** The public origin in hrefs, without a trailing slash. */
  readonly base: string;
  /** The origin that the caller reached. Behind a TLS proxy it differs from `base`. The account accepts hrefs with either origin. */
  readonly localBase: string;
  /** `{base}/api/remap/{version}`. */
  readonly api: string;
  readonly caller: Caller;
  readonly query: URLSearchParams;
  readonly language: "ru" | "en";
  readonly milliseconds: boolean;
  /** Whether the precision header (`X-Platform-Precision` of json-api 1) asks for money that is not rounded to whole kopecks. */
  readonly precise: boolean;
  /** URL prefixes of the webhooks that this request does not notify (json-api 9.6). `all`: it notifies none. */
  readonly mutedWebhooks: readonly string[] | "all";
  readonly settings: SandboxSettings;
  /** The first part of the link in an error (json-api 10.1). Undefined: nobody reads the errors. */
  readonly errorLink?: string;
  /** Undefined: the sandbox itself makes the call, without a body. */
  readonly places?: ErrorPlaces;
}
