import type { SolutionHost } from "../../solution/host.ts";
import type { UserContexts } from "../../solution/user-contexts.ts";
import type { Answer } from "../answers/answer.ts";
import { pageAnswer } from "../answers/wire.ts";

interface WindowParts {
  readonly host: SolutionHost;
  readonly contexts: UserContexts;
}

/**
 * How the platform tells the frame which user uses it. `token`: the frame can ask for a one-time token. `context`: the frame's
 * address has a context key. `none`: the frame is told nothing. `expired`, `used`: the token is not valid any more.
 */
const IDENTITIES = ["token", "context", "none", "expired", "used"] as const;
type Identity = (typeof IDENTITIES)[number];

/** What a frame may do (platform-contracts 3.10). */
const FRAME_FLAGS = "allow-forms allow-scripts allow-same-origin allow-popups allow-modals allow-downloads";
/** The least height of the frame in the main window. A frame with a taller content sends its height to the page. */
const LEAST_HEIGHT_PX = 768;
const MAX_WIDTH_PX = 4_000;
const LOCALES = ["ru_RU", "en_US"] as const;

/**
 * Answers `GET window/{login}` with the platform's page, which contains the solution's frame. The page handles the messages of the frame as
 * the platform does. When the frame asks for a token, it gets a new token from `POST context/{login}`, or a token that is used or expired.
 * The attributes `data-height`, `data-dialog` and `data-navigated` of the body show what the frame asked for. Undefined for other
 * addresses.
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
  /** 0: as wide as the page. */
  width: number;
  login: string;
  /** True: the frame was kept after an earlier opening and is shown again. */
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

/**
 * The script of the page. It answers the messages of the frame as the platform's page does, and sends messages to the frame's origin only.
 */
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
