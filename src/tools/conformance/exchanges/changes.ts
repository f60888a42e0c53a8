/** The number of changes to show. A longer list would be hard to read. */
const SHOWN_CHANGES = 3;
const MAX_VALUE_WORDS = 60;

/** Forms of values that differ in every request: ids, addresses with ids, tokens, keys. Another value of the same form is no change. */
const INCIDENTAL = [/^[0-9a-f]{8}-[0-9a-f-]{27}$/, /^https?:\/\//, /^[0-9a-f]{40}$/, /^MII/];
const NUMBER = /^\d{5}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

/** Describes how a body differs from the platform's body: `payments.cashSum "50.00", no name`. */
export function wordsOfChanges(ordinary: object, sent: unknown): string {
  if (JSON.stringify(sent) === "{}") return "the body {}";
  const changes = [...changesIn(ordinary, sent, "")];
  const shown = changes.slice(0, SHOWN_CHANGES).join(", ");
  return changes.length > SHOWN_CHANGES ? `${shown} and ${changes.length - SHOWN_CHANGES} more` : shown;
}

function* changesIn(ordinary: unknown, sent: unknown, path: string): Generator<string> {
  if (isSame(ordinary, sent, path)) return;
  if (Array.isArray(ordinary) && Array.isArray(sent)) {
    if (ordinary.length !== sent.length) yield `${sent.length} ${path}`;
    else for (const [index, value] of sent.entries()) yield* changesIn(ordinary[index], value, `${path}[${index}]`);
  } else if (isObject(ordinary) && isObject(sent)) {
    for (const name of new Set([...Object.keys(ordinary), ...Object.keys(sent)]))
      yield* changesIn(ordinary[name], sent[name], path === "" ? name : `${path}.${name}`);
  } else yield sent === undefined ? `no ${path}` : `${path} ${valueWords(sent)}`;
}

function isSame(ordinary: unknown, sent: unknown, path: string): boolean {
  if (ordinary === sent) return true;
  if (typeof ordinary !== "string" || typeof sent !== "string") return false;
  // A different day is a change; a different second is not.
  if (MOMENT.test(ordinary) && MOMENT.test(sent)) return ordinary.slice(0, 10) === sent.slice(0, 10);
  if (path === "name" && NUMBER.test(ordinary) && NUMBER.test(sent)) return true;
  return INCIDENTAL.some((form) => form.test(ordinary) && form.test(sent));
}

function valueWords(value: unknown): string {
  const words = JSON.stringify(value);
  return words.length <= MAX_VALUE_WORDS ? words : `${words.slice(0, MAX_VALUE_WORDS)}…`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
