/**
 * The one list of what never reaches a log: secrets, and what belongs to buyers. Names are compared
 * without regard to case, `-` and `_`, at any depth.
 */
const HIDDEN_NAMES = new Set([
  // secrets
  "authorization",
  "proxyauthorization",
  "cookie",
  "setcookie",
  "password",
  "operatorpassword",
  "systempassword",
  "secret",
  "secretkey",
  "privatekey",
  "publickey",
  "token",
  "accesstoken",
  "loyaltytoken",
  "contextkey",
  "credentials",
  "signature",
  "jwt",
  "sealed",
  "platformdiscountapiauthtoken",
  "lognexdiscountapiauthtoken",
  // buyers
  "phone",
  "email",
  "buyercontact",
  "mark",
  "marks",
  "cis",
  "body",
  "rawbody",
]);

export const HIDDEN = "[hidden]";

/** Nothing that is worth a log line is nested deeper; it also ends a walk round a circle. */
const MAX_DEPTH = 8;
/** Longer lists say no more in a log than their beginning and their length. */
const MAX_ITEMS = 50;

/** Things that are secret whatever they are called, found inside texts such as an error's message. */
const HIDDEN_TEXTS: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, `$1 ${HIDDEN}`],
  [/\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, HIDDEN],
  [/(:\/\/[^\s:/@]*):[^\s/@]+@/g, `$1:${HIDDEN}@`],
  [/[^\s<>"'@:/]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+/g, HIDDEN],
  [/\+7[\s(-]*\d{3}[\s)-]*\d{3}[\s-]*\d{2}[\s-]*\d{2}\b/g, HIDDEN],
  [/(\/webhooks\/)[A-Za-z0-9_-]{16,}/g, `$1${HIDDEN}`],
  [/\b01\d{14}21[^\s"]{6,}/g, HIDDEN],
];

/** The values of a log line as they may be written. */
export function redacted(values: Record<string, unknown>): Record<string, unknown> {
  return redactMembers(values, 0);
}

export function redactedText(text: string): string {
  return HIDDEN_TEXTS.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text);
}

function redactMembers(values: object, depth: number): Record<string, unknown> {
  const clean: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const hidden = value !== undefined && value !== null && HIDDEN_NAMES.has(name.toLowerCase().replace(/[-_]/g, ""));
    clean[name] = hidden ? HIDDEN : redactValue(value, depth + 1);
  }
  return clean;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redactedText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return "[deep]";
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Uint8Array) return `[${value.length} bytes]`;
  if (Array.isArray(value)) return redactList(value, depth);
  if ("toJSON" in value && typeof value.toJSON === "function") return redactValue(value.toJSON(), depth + 1);
  return redactMembers(value, depth);
}

function redactList(list: readonly unknown[], depth: number): unknown[] {
  const clean = list.slice(0, MAX_ITEMS).map((item) => redactValue(item, depth + 1));
  return list.length > MAX_ITEMS ? [...clean, `[${list.length - MAX_ITEMS} more]`] : clean;
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message: redactedText(message),
    ...redactMembers(error, depth),
    ...(stack === undefined ? {} : { stack: redactedText(stack) }),
    ...(cause === undefined ? {} : { cause: redactValue(cause, depth + 1) }),
  };
}
