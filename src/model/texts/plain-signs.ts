/*
 * Replacements for characters that a fiscal drive, a register or a font lacks (fiscal-receipts 1.2). `spelling.ts` uses them for characters
 * whose meaning does not depend on their neighbours. fiscal-receipts 1.2 gives the replacements of `«»“”`, `–—`, `₽` and `×`. The rest
 * follows Russian price tags.
 */

type Row = readonly [plain: string, signs: string];

const MARKS: readonly Row[] = [
  ['"', "«»“”„‟〝〞″‶❝❞"],
  ["'", "‘’‚‛‹›′‵´ʼʹʻˈ❛❜`"],
  ["'''", "‴"],
  ["-", "‐‑‒–—―−⁃─━﹘"],
  ["...", "…"],
  ["..", "‥"],
  ["·", "∙•‧⋅・●■▪◦○□▫◆◇"],
  [".", "·"],
  ["|", "¦│┃║"],
  ["=", "═≡"],
  ["+", "┌┐└┘├┤┬┴┼╔╗╚╝╬†"],
  ["++", "‡"],
  ["#", "█▓▒░"],
  ["", "¶"],
  ["(R)", "®"],
  ["(C)", "©"],
  ["(TM)", "™"],
  ["(SM)", "℠"],
  ["(P)", "℗"],
  ["п.", "§"],
  ["N", "№"],
  ["V", "✓✔☑√"],
  ["X", "✗✘☒"],
  ["*", "★☆✱※¤"],
];

const ARITHMETIC: readonly Row[] = [
  ["x", "×✕✖⨯╳"],
  [":", "∶÷"],
  ["::", "∷"],
  ["/", "⁄∕"],
  ["+/-", "±"],
  ["-/+", "∓"],
  [">=", "≥⩾≧"],
  ["<=", "≤⩽≦"],
  ["!=", "≠"],
  ["~", "≈≅≃∼"],
  ["беск.", "∞"],
  ["сумма", "∑"],
  ["D", "∆"],
  ["промилле", "‰"],
];

/** An arrow to the left is never spelled `<=`, because `<=` is a comparison. */
const ARROWS: readonly Row[] = [
  ["->", "→⟶➔➜➡➞➙"],
  ["<-", "←⟵⬅⇐"],
  ["<->", "↔⟷"],
  ["=>", "⇒⟹"],
  ["<=>", "⇔⟺"],
  ["^", "↑▲↗⬆"],
  ["v", "↓▼↘⬇"],
  [">", "▶►"],
  ["<", "◀◄"],
];

const MEASURES_AND_MONEY: readonly Row[] = [
  ["°C", "℃"],
  ["°F", "℉"],
  ["°", "˚"],
  ["o", "º"],
  ["a", "ª"],
  ["u", "µ"],
  ["диам.", "⌀∅"],
  ["e", "℮"],
  ["l", "ℓ"],
  ["руб.", "₽"],
  ["EUR", "€"],
  ["GBP", "£"],
  ["Y", "¥"],
  ["c", "¢"],
  ["грн", "₴"],
  ["тенге", "₸"],
  ["INR", "₹"],
  ["KRW", "₩"],
  ["TRY", "₺"],
  ["GEL", "₾"],
  ["AZN", "₼"],
  ["ILS", "₪"],
  ["VND", "₫"],
  ["THB", "฿"],
  ["BTC", "₿"],
];

/**
 * Lower-case letters that do not become plain when their marks are removed; the code below derives the capitals. Greek letters are spelled
 * here as inside a word.
 */
const LETTERS: readonly Row[] = [
  ["ss", "ß"],
  ["ae", "æ"],
  ["oe", "œ"],
  ["o", "ø"],
  ["l", "ł"],
  ["d", "đð"],
  ["th", "þ"],
  ["h", "ħһ"],
  ["i", "ıіїι"],
  ["e", "əε"],
  ["n", "ŋ"],
  ["k", "ĸκ"],
  ["г", "ґғѓ"],
  ["j", "ј"],
  ["s", "ѕσς"],
  ["ль", "љ"],
  ["нь", "њ"],
  ["ч", "ћҷҹ"],
  ["дж", "ђџ"],
  ["э", "ә"],
  ["к", "қҡҝќ"],
  ["н", "ң"],
  ["о", "ө"],
  ["у", "үұў"],
  ["ж", "җ"],
  ["з", "ҙ"],
  ["с", "ҫ"],
  ["х", "ҳ"],
  ["i", "ӏ"],
  ["е", "ѣє"],
  ["ф", "ѳ"],
  ["и", "ѵ"],
  ["a", "α"],
  ["b", "β"],
  ["g", "γ"],
  ["d", "δ"],
  ["z", "ζ"],
  ["h", "η"],
  ["th", "θϑ"],
  ["l", "λ"],
  ["m", "μ"],
  ["n", "ν"],
  ["x", "ξχ"],
  ["o", "οω"],
  ["p", "πρ"],
  ["t", "τ"],
  ["y", "υ"],
  ["f", "φϕ"],
  ["ps", "ψ"],
];

/** Numbers in a ring or on a disc. They get brackets, because two such numbers in a row would read as one number. */
const RINGED = ["①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳", "❶❷❸❹❺❻❼❽❾❿⓫⓬⓭⓮⓯⓰⓱⓲⓳⓴", "➀➁➂➃➄➅➆➇➈➉", "➊➋➌➍➎➏➐➑➒➓"];
const RINGED_CAPITALS = "ⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇⓈⓉⓊⓋⓌⓍⓎⓏ";

/** The plain text of each sign that does not depend on its neighbours. */
export const PLAIN_SIGNS: ReadonlyMap<string, string> = new Map([
  ...[...MARKS, ...ARITHMETIC, ...ARROWS, ...MEASURES_AND_MONEY].flatMap(ofRow),
  ...LETTERS.flatMap(ofRow),
  ...LETTERS.flatMap(([plain, signs]) => ofRow([plain.charAt(0).toUpperCase() + plain.slice(1), signs.toUpperCase()])),
  ...RINGED.flatMap((row) => Array.from(row, (sign, at) => [sign, `(${at + 1})`] as const)),
  ...Array.from(RINGED_CAPITALS, (sign, at) => [sign, `(${String.fromCharCode(0x41 + at)})`] as const),
  ["⓪", "(0)"],
]);

function ofRow([plain, signs]: Row): (readonly [string, string])[] {
  return Array.from(signs, (sign) => [sign, plain] as const);
}
