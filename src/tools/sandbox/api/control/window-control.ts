import type { SolutionHost } from "../../solution/host.ts";
import type { UserContexts } from "../../solution/user-contexts.ts";
import type { Answer } from "../answers/answer.ts";
import { pageAnswer } from "../answers/wire.ts";

interface WindowParts {
  readonly host: SolutionHost;
  readonly contexts: UserContexts;
}

/**
 * How the frame learns its user. `token`: the frame can ask for a one-time token. `context`: the URL of the frame has a context key.
 * `none`: the frame cannot learn its user. `expired`, `used`: the frame gets a token that is no longer valid.
 */
const IDENTITIES = ["token", "context", "none", "expired", "used"] as const;
type Identity = (typeof IDENTITIES)[number];

/** The permissions of the frame (platform-contracts 3.10). */
const FRAME_FLAGS = "allow-forms allow-scripts allow-same-origin allow-popups allow-modals allow-downloads";
/** The least height of the frame in the main window. A frame with taller content sends its height to the page. */
const LEAST_HEIGHT_PX = 768;
const MAX_WIDTH_PX = 4_000;
const LOCALES = ["ru_RU", "en_US"] as const;

/**
 * Answers `GET window/{login}` with the platform's page around the solution's frame (payments surface 9). The page handles the frame's
 * messages like the platform. If the frame asks for a token, `identity` in the query decides: a new token from `POST context/{login}`, a
 * used or expired token, or no answer. `data-height`, `data-dialog` and `data-navigated` on the body show what the frame asked for.
 * Undefined: another path.
 */
export function answerWindow(path: string, method: string, query: string, parts: WindowParts): Answer | undefined {
  const [room, name = "", ...rest] = path.split("/");
  if (room !== "window" || name === "" || rest.length > 0) return undefined;
  if (method !== "GET") return pageAnswer(405);
  const asked = new URLSearchParams(query);
  const identity = IDENTITIES.find((one) => one === (asked.get("identity") ?? "token"));
  const locale = LOCALES.find((one) => one === (asked.get("locale") ?? "ru_RU"));
  const width = Number(asked.get("width") ?? 0);
  if (identity === undefined || locale === undefined || !(width >= 0 && width <= MAX_WIDTH_PX)) return pageAnswer(400);
  const login = decodeURIComponent(name);
  const opened = parts.contexts.open(login, "ours", identity === "expired" ? "expired" : "fresh");
  if (opened === undefined) return pageAnswer(404);
  if (identity === "used") parts.contexts.useUp(opened.token);
  return { status: 200, html: windowPage(parts.host.told(), { ...opened, identity, locale, width, login, kept: asked.has("kept") }) };
}

interface Shown {
  contextKey: string;
  token: string;
  identity: Identity;
  locale: string;
  /** In CSS pixels. 0: as wide as the page. */
  width: number;
  login: string;
  /** True: the frame was opened earlier, kept, and is shown again. */
  kept: boolean;
}

function windowPage(told: { [name: string]: unknown }, { contextKey, token, identity, locale, width, login, kept }: Shown): string {
  const solution = String(told.solution);
  const source = new URL(`${solution}/settings`);
  if (identity === "context") source.searchParams.set("contextKey", contextKey);
  source.searchParams.set("appUid", String(told.appUid));
  source.searchParams.set("appId", String(told.appId));
  source.searchParams.set("userLocale", locale);
  const facts = JSON.stringify({
    frameOrigin: source.origin,
    fresh: identity === "token" ? `/sandbox/context/${encodeURIComponent(login)}` : null,
    token: identity === "used" || identity === "expired" ? token : null,
    kept,
  });
  return `<!doctype html>
<html lang="${locale.slice(0, 2)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Platform</title>
<style>body { margin: 0; background: #e9edf2 } iframe { display: block; border: 0; background: Canvas; min-height: ${LEAST_HEIGHT_PX}px; width: ${
    width === 0 ? "100%" : `${width}px`
  } }</style></head>
<body>
<iframe name="solution" title="Solution" sandbox="${FRAME_FLAGS}" allow="clipboard-read; clipboard-write; fullscreen" src="${escaped(source.href)}"></iframe>
<script type="application/json" id="facts">${facts.replaceAll("<", "\\u003c")}</script>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** The page's script. It handles the frame's messages like the platform, and sends messages only to the frame's origin. */
const SCRIPT = `
const facts = JSON.parse(document.getElementById("facts").textContent);
const frame = document.querySelector("iframe");
const say = (message) => frame.contentWindow.postMessage(message, facts.frameOrigin);
async function tokenNow() {
  if (facts.fresh === null) return facts.token;
  const response = await fetch(facts.fresh, { method: "POST" });
  return (await response.json()).token;
}
window.addEventListener("message", async ({ source, origin, data }) => {
  if (source !== frame.contentWindow || origin !== facts.frameOrigin || typeof data !== "object" || data === null) return;
  if (typeof data.height === "number") {
    document.body.dataset.height = String(data.height);
    frame.style.height = Math.max(${LEAST_HEIGHT_PX}, data.height) + "px";
  }
  if (data.name === "UserContextRequest") {
    const token = await tokenNow();
    if (token !== null) say({ name: "UserContextResponse", correlationId: data.messageId, token });
  }
  if (data.name === "ShowDialogRequest") document.body.dataset.dialog = data.dialogText ?? "";
  if (data.name === "NavigateRequest") document.body.dataset.navigated = data.path ?? "";
});
if (facts.kept) frame.addEventListener("load", () => say({ name: "Open" }), { once: true });
`;

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}
