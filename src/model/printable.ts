/**
 * Text as a fiscal drive can hold it: strings are CP866 there, and paper must show what was stored
 * (fiscal-receipts 1.2). What the code page lacks is replaced by its nearest look.
 */
export function printable(text: string, maxLength: number): string {
  let result = "";
  for (const char of text.normalize("NFC")) result += replacementOf(char);
  return cutAtWord(result.replace(/\s+/g, " ").trim(), maxLength);
}

/** Printable characters of CP866 beyond ASCII and Cyrillic. */
const CP866_SIGNS = "ЁёЄєЇїЎў°∙·√№¤■─│┌┐└┘├┤┬┴┼═║╒╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡╢╣╤╥╦╧╨╩╪╫╬▀▄█▌▐░▒▓";

const REPLACEMENTS: Record<string, string> = {
  "«": '"',
  "»": '"',
  "“": '"',
  "”": '"',
  "„": '"',
  "‟": '"',
  "‘": "'",
  "’": "'",
  "‚": "'",
  "`": "'",
  "′": "'",
  "″": '"',
  "–": "-",
  "—": "-",
  "−": "-",
  "‐": "-",
  "‑": "-",
  "₽": "руб.",
  "×": "x",
  "…": "...",
  "²": "2",
  "³": "3",
  "½": "1/2",
  "¼": "1/4",
  "¾": "3/4",
  "±": "+/-",
  "•": "∙",
  "®": "(R)",
  "©": "(C)",
  "™": "(TM)",
  "\u00ad": "",
};

function replacementOf(char: string): string {
  const known = REPLACEMENTS[char];
  if (known !== undefined) return known;
  if (isKept(char)) return char;
  if (/[\s\p{Cc}]/u.test(char)) return " ";
  if (/[\p{Cf}\p{Mn}\p{Cs}]/u.test(char)) return "";
  const base = char.normalize("NFKD").replace(/\p{Mn}/gu, "");
  return base !== "" && [...base].every(isKept) ? base : "?";
}

function isKept(char: string): boolean {
  return /^[ -~А-Яа-я]$/.test(char) || CP866_SIGNS.includes(char);
}

/** A cut in the middle of a word reads as another word; a single long word has to bear it. */
function cutAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength);
  if (text[maxLength] === " ") return cut.trimEnd();
  const space = cut.lastIndexOf(" ");
  return space > maxLength / 2 ? cut.slice(0, space).trimEnd() : cut;
}
