import { createHash } from "node:crypto";

/** The root fields of one call. */
interface RootFields {
  /** The fields that the signature covers, as texts: all scalar fields except the token and nulls. A number keeps its JSON spelling. */
  readonly signed: ReadonlyMap<string, string>;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Reads a body. Undefined: no JSON object. */
export function readRootFields(text: string): RootFields | undefined {
  /**
   * The spelling of each number, by the object that contains the number. JSON.parse calls the reviver for nested objects before the root,
   * so it is not known yet which object is the root.
   */
  const written = new WeakMap<object, Map<string, string>>();
  const keepText = function (this: object, name: string, value: unknown, context?: { source?: string }): unknown {
    if (typeof value === "number" && context?.source !== undefined) {
      const texts = written.get(this) ?? new Map<string, string>();
      written.set(this, texts.set(name, context.source));
    }
    return value;
  };
  const root = parse(text, keepText);
  if (typeof root !== "object" || root === null || Array.isArray(root)) return undefined;
  return { signed: scalarsOf(root, written.get(root)), values: root as Record<string, unknown> };
}

/** Returns the signature over the scalar root fields and the password (qr-acquirers 4.2). */
export function tokenOf(signed: ReadonlyMap<string, string>, password: string): string {
  const all = new Map([...signed, ["Password", password]]);
  const joined = [...all.keys()].sort().map((name) => all.get(name));
  return createHash("sha256").update(joined.join("")).digest("hex");
}

/** Returns the body of a notification with its token. */
export function signedJson(body: Readonly<Record<string, unknown>>, password: string): string {
  return JSON.stringify({ ...body, Token: tokenOf(scalarsOf(body, undefined), password) });
}

function scalarsOf(root: object, texts: ReadonlyMap<string, string> | undefined): ReadonlyMap<string, string> {
  const scalars = new Map<string, string>();
  for (const [name, value] of Object.entries(root) as [string, unknown][]) {
    if (name === "Token" || value === null || typeof value === "object") continue;
    scalars.set(name, texts?.get(name) ?? String(value));
  }
  return scalars;
}

function parse(text: string, reviver: (this: object, name: string, value: unknown, context?: { source?: string }) => unknown): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
