import { nextTurn } from "../kernel/clock.ts";
import { storableText } from "../kernel/json/storable.ts";

/** How many bytes, and how many fields, are read in one step of about a millisecond. Other work runs between two steps. */
const BYTES_A_STEP = 64 * 1024;
const FIELDS_A_STEP = 1_000;
/** The maximum number of fields. The form of a programme with 200 rules has some thousands of fields. */
const MAX_FIELDS = 20_000;
/**
 * The maximum number of bytes of all names and values, as a page shows them again. There some characters take up to six bytes
 * (`shownBytes`). A longer programme can be set by the command line.
 */
const MAX_READ_BYTES = 1.25 * 1024 * 1024;
const ESCAPED_BYTES = 6;

/**
 * Reads the bytes of a form as `URLSearchParams` does, but in steps: `URLSearchParams` would block for seconds on eight megabytes. Changes
 * the texts so that the database can store them. The last value of a repeated name wins. Undefined: too many fields or too many bytes.
 * `atMost`: only so many fields are read, and the others are left out.
 */
export async function readForm(bytes: Buffer, atMost = Number.POSITIVE_INFINITY): Promise<Map<string, string> | undefined> {
  const form = new Map<string, string>();
  const read = Buffer.allocUnsafe(Math.min(bytes.length, MAX_READ_BYTES));
  let [size, begin, valueAt, fields, shown] = [0, 0, -1, 0, 0];
  for (let at = 0, stepAt = BYTES_A_STEP, stepFields = FIELDS_A_STEP; at <= bytes.length && fields < atMost; at += 1) {
    const byte = at === bytes.length ? AMPERSAND : bytes[at];
    if (byte === AMPERSAND) {
      if (size > begin || valueAt !== -1) {
        fields += 1;
        if (fields > MAX_FIELDS) return undefined;
        const nameEnd = valueAt === -1 ? size : valueAt;
        const [name, text] = [read.toString("utf8", begin, nameEnd), read.toString("utf8", nameEnd, size)];
        // The three bytes of U+FFFD replace a byte that belongs to no character.
        shown += Buffer.byteLength(name) + Buffer.byteLength(text) - (size - begin);
        if (shown > MAX_READ_BYTES) return undefined;
        form.set(storableText(name), storableText(text));
      }
      [begin, valueAt] = [size, -1];
    } else if (byte === EQUALS && valueAt === -1) valueAt = size;
    else {
      const escaped = byte === PERCENT ? byteIn(bytes, at + 1) : undefined;
      const value = byte === PLUS ? BLANK : (escaped ?? byte ?? 0);
      shown += shownBytes(value);
      if (shown > MAX_READ_BYTES) return undefined;
      read[size] = value;
      size += 1;
      if (escaped !== undefined) at += 2;
    }
    if (at >= stepAt || fields >= stepFields) {
      stepAt = at + BYTES_A_STEP;
      stepFields = fields + FIELDS_A_STEP;
      await nextTurn();
    }
  }
  return form;
}

function byteIn(bytes: Buffer, at: number): number | undefined {
  const [high, low] = [digitOf(bytes[at]), digitOf(bytes[at + 1])];
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

function digitOf(byte: number | undefined): number | undefined {
  if (byte === undefined) return undefined;
  if (byte >= ZERO && byte <= NINE) return byte - ZERO;
  const letter = byte | LOWER_CASE;
  return letter >= LETTER_A && letter <= LETTER_F ? letter - LETTER_A + 10 : undefined;
}

/**
 * Returns the largest number of bytes that a page needs for this byte of a text. A page shows `"`, `&`, `'`, `<` and `>` as four to six
 * bytes, and a character that `visible` replaces as six. Only the first byte of a longer character is looked at, so some other characters
 * count as six bytes too.
 */
function shownBytes(byte: number): number {
  if (MARKS.has(byte) || byte === DELETE || (byte < BLANK && byte !== TAB && byte !== LINE_FEED)) return ESCAPED_BYTES;
  const later = LATER_BYTES.get(byte);
  return later === undefined ? 1 : ESCAPED_BYTES - later;
}

const MARKS: ReadonlySet<number> = new Set([0x22, 0x26, 0x27, 0x3c, 0x3e]);
/** The first bytes of longer characters that `visible` may replace, with the number of the bytes behind them. */
const LATER_BYTES: ReadonlyMap<number, number> = new Map([
  [0xc2, 1],
  [0xd8, 1],
  [0xe2, 2],
]);

const TAB = 0x09;
const LINE_FEED = 0x0a;
const DELETE = 0x7f;
const BLANK = 0x20;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const PLUS = 0x2b;
const ZERO = 0x30;
const NINE = 0x39;
const EQUALS = 0x3d;
const LOWER_CASE = 0x20;
const LETTER_A = 0x61;
const LETTER_F = 0x66;
