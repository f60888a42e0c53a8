/** Shown to people in place of a secret. */
const HIDDEN = "***";

/**
 * Puts the stored secrets into a text that a person was shown and sends back: a part `name=***` gets the stored value of this name. Without
 * a stored value the part is dropped. The word before the first colon or question mark is the kind of a text. If the sent text and the
 * stored text have different kinds, no stored value is used.
 */
export function withKeptSecrets(text: string, stored: string | undefined): string {
  const { base, parts } = partsIn(text);
  if (!parts.some(([, value]) => value === HIDDEN)) return text;
  const before = stored === undefined ? undefined : partsIn(stored);
  const kept = before !== undefined && wordOf(before.base) === wordOf(base) ? new Map(before.parts) : new Map<string, string>();
  const filled = parts.flatMap(([name, value]) => {
    const known = value === HIDDEN ? kept.get(name) : value;
    return known === undefined ? [] : [`${name}=${known}`];
  });
  return filled.length === 0 ? base : `${base}?${filled.join("&")}`;
}

/** Returns the parts undecoded: a parsed address might write a password's characters differently. */
function partsIn(text: string): { base: string; parts: [string, string][] } {
  const mark = text.indexOf("?");
  if (mark < 0) return { base: text, parts: [] };
  const parts = text.slice(mark + 1).split("&");
  return {
    base: text.slice(0, mark),
    parts: parts.map((part) => [part.split("=", 1)[0] ?? "", part.includes("=") ? part.slice(part.indexOf("=") + 1) : ""]),
  };
}

function wordOf(base: string): string {
  return base.split(":", 1)[0] ?? "";
}
