import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A secret that a run must show nowhere, in any spelling. */
export interface Hidden {
  what: string;
  forms: readonly RegExp[];
}

/** A text that a run has left somewhere. */
export interface Trace {
  place: string;
  text: string;
}

/** Up to three characters between two digits: `8 (903) 123-45-67`, `+7 903 123 45 67`. */
const GAP = "[\\s()+.\\-]{0,3}";
/** A word with so many hexadecimal characters around a found text is a hash or an id, which may contain six given digits by chance. */
const HASH_LENGTH = 24;

/** The ten digits after the country's code, in any spelling. */
export function hiddenPhone(phone: string): Hidden {
  const digits = phone.replaceAll(/\D/g, "").slice(-10);
  return { what: `the phone ${phone}`, forms: [new RegExp([...digits].join(GAP)), new RegExp(encodeURIComponent([...digits].join(" ")))] };
}

/** A card number with or without separators, in any case. */
export function hiddenCard(card: string): Hidden {
  const signs = card.replaceAll(/[^\p{L}\p{N}]/gu, "");
  return { what: `the card ${card}`, forms: [new RegExp([...signs].map(literal).join(GAP), "i")] };
}

/** Each word of a name, an address or a key: plain, in any case, escaped as in JSON or in an address, and in Base64. */
export function hiddenWords(text: string): Hidden[] {
  return text.split(/\s+/).map((word) => {
    const escaped = word.replaceAll(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
    const plain = [word, word.toLowerCase(), word.toUpperCase(), escaped, encodeURIComponent(word)];
    return { what: `the word ${word}`, forms: [...plain, ...inBase64(word)].map((form) => new RegExp(literal(form), "i")) };
  });
}

/** A code of a few digits, unless it is a part of a longer number. */
export function hiddenCode(code: string): Hidden {
  return { what: `the code ${code}`, forms: [new RegExp(`(?<!\\d)${code}(?!\\d)`)] };
}

/** Returns `what in place: …text around…` for every secret that was found. */
export function shown(hidden: readonly Hidden[], traces: readonly Trace[]): string[] {
  return traces.flatMap(({ place, text }) =>
    hidden.flatMap(({ what, forms }) =>
      forms.flatMap((form) => {
        const found = [...text.matchAll(new RegExp(form, `${form.flags}g`))].find(
          ({ 0: hit, index }) => !isInHash(text, index, hit.length),
        );
        return found === undefined ? [] : [`${what} in ${place}: ${text.slice(Math.max(0, found.index - 80), found.index + 80)}`];
      }),
    ),
  );
}

/** Every file in a folder and below, as text in UTF-8. */
export function filesBelow(folder: string): Trace[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ place: path.slice(folder.length + 1), text: readFileSync(path).toString("utf8") }));
}

/** The middle part of a text's Base64, for each of the three places at which the text may begin. */
function inBase64(word: string): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(word)]);
    const whole = bytes.length - (bytes.length % 3);
    return bytes
      .subarray(0, whole)
      .toString("base64")
      .slice(before === 0 ? 0 : 4);
  });
}

function isInHash(text: string, index: number, length: number): boolean {
  const before = /[0-9a-f-]*$/.exec(text.slice(Math.max(0, index - HASH_LENGTH), index))?.[0] ?? "";
  const after = /^[0-9a-f-]*/.exec(text.slice(index + length, index + length + HASH_LENGTH))?.[0] ?? "";
  return before.length + after.length >= HASH_LENGTH && /[a-f]/.test(before + after);
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\-]/g, "\\$&");
}
