/** Stands for a character that the font lacks and that has no plainer form. */
const UNKNOWN = "□";

/** Splits text as a reader would, so that a family of four emoji is one character. */
const graphemes = new Intl.Segmenter("ru", { granularity: "grapheme" });

/**
 * What the font can draw of a text, one column a character: white space becomes single spaces,
 * invisible characters vanish, a character that the font lacks becomes its plain form (`ﬁ` → `fi`,
 * `①` → `1`) or `□`. No table of characters: the font itself decides.
 */
export function drawable(text: string, has: (code: number) => boolean): string {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!has(code) || (code === SPACE && text.charCodeAt(at + 1) === SPACE)) return replaced(text, has);
  }
  return text;
}

const SPACE = 0x20;
const WHITE = /[\p{Z}\t\n\v\f\r]+/gu;

function replaced(text: string, has: (code: number) => boolean): string {
  const parts: string[] = [];
  for (const { segment } of graphemes.segment(text.normalize("NFC").replaceAll(WHITE, " "))) {
    if (hasAll(segment, has)) parts.push(segment);
    else parts.push(plainForm(segment, has));
  }
  return parts.join("").replaceAll(/ +/g, " ");
}

function plainForm(segment: string, has: (code: number) => boolean): string {
  const visible = segment.replaceAll(/[\p{Cc}\p{Cf}]/gu, "");
  if (visible === "" || hasAll(visible, has)) return visible;
  const plain = visible.normalize("NFKD").replaceAll(/\p{M}/gu, "").replaceAll(WHITE, " ");
  return hasAll(plain, has) ? plain : UNKNOWN;
}

function hasAll(text: string, has: (code: number) => boolean): boolean {
  for (let at = 0; at < text.length; at++) if (!has(text.charCodeAt(at))) return false;
  return true;
}
