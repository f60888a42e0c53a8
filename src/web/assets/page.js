// The script of every settings page: begins the session, adds the session's proof to requests, and exchanges messages with the page around
// the frame. `typed.js` keeps typed values. The script is a module, so that the bearer (the text of the session) exists only in the
// module's scope. It is in no storage, in no address, and in no cookie that a script can read.
const { body } = document;
const html = document.documentElement;
const host = body.dataset.host;
const query = new URLSearchParams(location.search);
const russian = html.lang === "ru";
const say = (ru, en) => (russian ? ru : en);

/** How long the script waits for a token from the host. The host must first ask its own server. */
const TOKEN_LIMIT_MS = 4000;

let bearer;
let beginning;
let messageId = 0;
/** The context key is used only once, because the platform may refuse a second use (platform-contracts 3.9). */
let contextKey = query.get("contextKey") ?? undefined;
let role;
/** The account of the shown content. */
let account = body.dataset.account;

function askHost() {
  if (window.parent === window) return Promise.resolve(undefined);
  messageId += 1;
  const correlationId = messageId;
  return new Promise((resolve) => {
    const end = (token) => {
      window.removeEventListener("message", take);
      clearTimeout(timer);
      resolve(token);
    };
    const take = ({ source, origin, data }) => {
      if (source !== window.parent || origin !== host || typeof data !== "object" || data === null) return;
      if (data.name === "UserContextResponse" && data.correlationId === correlationId && typeof data.token === "string") end(data.token);
    };
    const timer = setTimeout(() => end(undefined), TOKEN_LIMIT_MS);
    window.addEventListener("message", take);
    window.parent.postMessage({ name: "UserContextRequest", messageId: correlationId }, host);
  });
}

async function exchange(proof) {
  const response = await fetch("/settings/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ appId: body.dataset.app, language: html.lang, ...proof }),
  });
  return response.ok ? await response.json() : undefined;
}

async function begin() {
  const token = await askHost();
  let begun = token === undefined ? undefined : await exchange({ token });
  if (begun === undefined && contextKey !== undefined) {
    const key = contextKey;
    contextKey = undefined;
    begun = await exchange({ contextKey: key });
  }
  if (begun === undefined) return false;
  bearer = begun.session;
  delete body.dataset.csrf;
  const changed = role !== undefined && role !== begun.role;
  const foreign = account !== undefined && account !== begun.account;
  role = begun.role;
  account = begun.account;
  body.dataset.role = role;
  if (foreign) document.getElementById("main").replaceChildren();
  if (changed || foreign) void go(location.pathname);
  return true;
}

function session() {
  if (bearer !== undefined || body.dataset.csrf !== undefined) return Promise.resolve(true);
  beginning ??= begin()
    .catch(() => false)
    .finally(() => {
      beginning = undefined;
    });
  return beginning;
}

/**
 * Sends a request with the session's proof. After the end of the session, begins a new session and repeats the request once. If another
 * user has taken over the page by then, the request is not sent in that user's name, and the answer is not shown.
 */
async function proved(address, request = {}) {
  let begun = await session();
  const asker = { account, role };
  for (const last of [false, true]) {
    if (last) begun = await session();
    if (isSomebodyElse(asker)) return new Response(null, { status: 204 });
    const proof = bearer === undefined ? { "X-CSRF-Token": body.dataset.csrf ?? "" } : { Authorization: `Bearer ${bearer}` };
    const response = await fetch(address, { ...request, headers: { ...request.headers, ...(begun ? proof : {}) } });
    // Before the answer came, the host may have shown the frame again, perhaps to another user.
    if (document.getElementById("main").hidden) await session();
    if (isSomebodyElse(asker)) {
      void response.body?.cancel();
      return new Response(null, { status: 204 });
    }
    // Another window of this browser may have replaced the cookie of this page's session.
    const ended = response.status === 401 || response.headers.get("X-Problem") === "forged";
    if (!ended || last) return response;
    bearer = undefined;
    delete body.dataset.csrf;
  }
}

/**
 * Whether the page now belongs to another account or role than at the time of the request. A page that came with a cookie learns its role
 * when it begins a session.
 */
function isSomebodyElse(asker) {
  const another = asker.account !== undefined && asker.account !== account;
  return another || (asker.role !== undefined && asker.role !== role);
}

/** Answers may overtake each other: the page requested last stays. */
let steps = 0;
let shownStep = 0;

function isOvertaken({ target, step }) {
  return target?.id === "main" && step < shownStep;
}

function shownView() {
  return document.querySelector("#main [data-view]");
}

document.addEventListener("htmx:config:request", ({ detail }) => {
  steps += 1;
  detail.ctx.step = steps;
  detail.ctx.view = shownView();
  detail.ctx.fetch = proved;
});

/** A problem's answer is not put into the page, so nothing typed is lost. Its words appear above the page. */
document.addEventListener("htmx:before:response", (event) => {
  const { request, response } = event.detail.ctx;
  if (request.method === "GET" && isOvertaken(event.detail.ctx)) return;
  const { status } = response;
  if (status === 404 && request.method !== "GET") {
    event.preventDefault();
    tell("error", say("Того, что вы меняли, больше нет. Ничего не изменено.", "What you were changing is gone. Nothing was changed."));
    return;
  }
  if (status === 401) {
    event.preventDefault();
    tell("error", noSession());
    return;
  }
  const problem = response.headers.get("X-Problem");
  if (["too-large", "wrong-type", "crowded", "wrong-method"].includes(problem)) {
    event.preventDefault();
    void tellProblem(response);
    return;
  }
  if (status === 403 || status >= 500) {
    event.preventDefault();
    const refused = say("Это может менять только администратор.", "Only an administrator may change this.");
    const failed = say("Сервер не ответил. Ничего не потеряно, повторите.", "The server failed. Nothing is lost, try again.");
    tell("error", problem === "forged" ? noSession() : status === 403 ? refused : failed);
  }
});

/**
 * Handles the answer to an act. If the act's part was redrawn meanwhile, the answer replaces the current part. If the person has left the
 * page, only the answer's words appear above the page.
 */
document.addEventListener("htmx:after:request", ({ detail: { ctx } }) => {
  const isOver = isOvertaken(ctx);
  if (ctx.request.method === "GET" || (ctx.target?.isConnected !== false && !isOver)) return;
  if (ctx.view === shownView() && !isOver) {
    ctx.target = document.getElementById(ctx.target.id) ?? ctx.target;
    return;
  }
  const answer = document.createElement("template");
  answer.innerHTML = ctx.text;
  const said = answer.content.querySelector("template[data-say]");
  if (said !== null) tell(said.dataset.say, said.content.textContent.trim());
  else if (ctx.response.status === 422)
    tell("error", say("Прежнее не сохранено: там надо что-то исправить.", "What you sent before was not saved: something there is wrong."));
});

document.addEventListener("htmx:error", ({ detail }) => {
  if (detail?.ctx?.sourceElement?.hasAttribute("data-live")) {
    detail.ctx.sourceElement.classList.add("stale");
    return;
  }
  tell("error", say("Нет связи с сервером. Ничего не потеряно, повторите.", "The server cannot be reached. Nothing is lost, try again."));
});

function noSession() {
  return say(
    "Сеанс закончился, а платформа не подтвердила, кто вы. Откройте окно решения заново.",
    "The session is over, and the platform has not confirmed who you are. Open the window anew.",
  );
}

/** Shows the answer's words above the page, and leaves the form unchanged. */
async function tellProblem(response) {
  const answer = document.createElement("template");
  answer.innerHTML = await response.text();
  tell("error", [...answer.content.querySelectorAll("[data-problem] > *")].map(({ textContent }) => textContent).join(". "));
}

function tell(kind, words) {
  const notice = document.getElementById("notice");
  notice.dataset.kind = kind;
  notice.textContent = words;
}

document.addEventListener("htmx:before:swap", (event) => {
  const { ctx } = event.detail;
  if (isOvertaken(ctx)) event.preventDefault();
  else if (ctx.target?.id === "main") shownStep = Math.max(shownStep, ctx.step);
});

document.addEventListener("htmx:after:swap", () => {
  const view = shownView();
  if (view !== null && body.dataset.page !== view.dataset.view) {
    body.dataset.page = view.dataset.view;
    window.scrollTo(0, 0);
  }
  if (view !== null && document.title !== view.dataset.title) document.title = view.dataset.title;
  for (const link of document.querySelectorAll("[data-link]")) {
    if (isWithin(link.dataset.link)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  for (const said of document.querySelectorAll("#main template[data-say]")) {
    tell(said.dataset.say, said.content.textContent.trim());
    said.remove();
  }
  const wrong = document.querySelector("[aria-invalid=true]:not([data-seen])");
  if (wrong !== null) {
    for (const one of document.querySelectorAll("[aria-invalid=true]")) one.dataset.seen = "";
    wrong.closest("details")?.setAttribute("open", "");
    wrong.focus();
  }
});

const SECTIONS = { store: "stores", operation: "stores", payment: "payments", member: "members" };
function isWithin(link) {
  const { page } = body.dataset;
  return link === page || link === SECTIONS[page];
}

/**
 * A new request removes the words about an earlier act, but not a request for the live state. Such a request may have waited for the answer
 * before it, which has replaced its element. Its event then comes from the document, so the element is taken from the request.
 */
document.addEventListener("htmx:before:request", ({ detail }) => {
  if (!detail.ctx.sourceElement?.hasAttribute("data-live")) tell("", "");
});

document.addEventListener("htmx:confirm", (event) => {
  const { ctx, issueRequest, dropRequest } = event.detail;
  if (!ctx.confirm) return;
  event.preventDefault();
  const dialog = document.getElementById("question");
  document.getElementById("question-words").textContent = ctx.confirm;
  dialog.returnValue = "no";
  dialog.addEventListener("close", () => (dialog.returnValue === "yes" ? issueRequest() : dropRequest()), { once: true });
  dialog.showModal();
});

/** A plain link carries no bearer, so the script fetches the file. */
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-download]");
  if (!button || button.disabled) return;
  button.disabled = true;
  try {
    const response = await proved(button.dataset.download);
    if (!response.ok || response.status === 204) throw new Error("there is no file");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = button.dataset.name;
    link.click();
    URL.revokeObjectURL(link.href);
  } catch {
    tell("error", say("Файл не получен. Повторите.", "The file did not come. Try again."));
  } finally {
    button.disabled = false;
  }
});

/** The host may show a kept frame again, possibly to another user. */
window.addEventListener("message", ({ source, origin, data }) => {
  if (source !== window.parent || origin !== host) return;
  if (data !== "Open" && data?.name !== "Open") return;
  bearer = undefined;
  delete body.dataset.csrf;
  contextKey = undefined;
  // The content belongs to the earlier user. It stays hidden until the platform has named the current user.
  document.getElementById("main").hidden = true;
  tell("", "");
  document.getElementById("question").close("no");
  void start();
});

if (window.parent !== window) {
  let told = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(body.getBoundingClientRect().height);
    if (height === told) return;
    told = height;
    window.parent.postMessage({ height }, host);
  }).observe(body);
}

function go(address) {
  const content = address === "/settings" || address === "/settings/" ? "/settings/stores" : address;
  return window.htmx.ajax("GET", content, { target: "#main", swap: "innerHTML" });
}

async function start() {
  if (!(await session())) {
    tell("error", noSession());
    document.getElementById("waiting")?.setAttribute("hidden", "");
    return;
  }
  tell("", "");
  document.getElementById("main").hidden = false;
  const shown = shownView();
  if (shown === null || shown.dataset.view === "home") await go(location.pathname);
}
if (document.readyState === "complete") void start();
else window.addEventListener("load", start);
