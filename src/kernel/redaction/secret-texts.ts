export const HIDDEN = "[hidden]";

/** Functions that hide secrets in texts, such as an error's message. They recognise a secret by its form. Each takes linear time. */
const HIDDEN_TEXTS: readonly ((text: string) => string)[] = [
  (text) => text.replace(/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, `$1 ${HIDDEN}`),
  withoutTokens,
  (text) => text.replace(/(:\/\/[^\s:/@]*):[^\s/@]+@/g, `$1:${HIDDEN}@`),
  withoutAddresses,
  (text) => text.replace(/\+7[\s(-]*\d{3}[\s)-]*\d{3}[\s-]*\d{2}[\s-]*\d{2}\b/g, HIDDEN),
  (text) => text.replace(/(\/webhooks\/)[A-Za-z0-9_-]{16,}/g, `$1${HIDDEN}`),
  (text) => text.replace(/\b01\d{14}21[^\s"]{6,}/g, HIDDEN),
];

/** Returns the text with all recognised secrets hidden. */
export function withoutSecrets(text: string): string {
  return HIDDEN_TEXTS.reduce((clean, hide) => hide(clean), text);
}

/** Hides JSON web tokens: three parts with dots between them. The first part begins with `eyJ`, which is `{"` in Base64. */
function withoutTokens(text: string): string {
  return text.includes(TOKEN_HEAD) ? text.replace(/(?<![\w.-])[\w.-]+/g, withoutTokensInRun) : text;
}

const TOKEN_HEAD = "eyJ";

function withoutTokensInRun(run: string): string {
  const parts = run.split(".");
  const clean: string[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? "";
    const begin = part.search(/(?<!\w)eyJ[\w-]/);
    const isToken = begin !== -1 && at + 2 < parts.length && parts[at + 1] !== "";
    clean.push(isToken ? part.slice(0, begin) + HIDDEN : part);
    if (isToken) at += 2;
  }
  return clean.join(".");
}

/** Hides e-mail addresses: from the beginning of the name before each `@` to the end of the domain, which has at least one dot. */
function withoutAddresses(text: string): string {
  let clean = "";
  let done = 0;
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    let begin = at;
    while (begin > done && !ENDS_NAME.test(text.charAt(begin - 1))) begin -= 1;
    DOMAIN.lastIndex = at + 1;
    const [domain] = begin === at ? [] : (DOMAIN.exec(text) ?? []);
    if (domain === undefined) continue;
    clean += text.slice(done, begin) + HIDDEN;
    done = at + 1 + domain.length;
  }
  return clean + text.slice(done);
}

const ENDS_NAME = /[\s<>"'@:/]/;
const DOMAIN = /[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/y;
