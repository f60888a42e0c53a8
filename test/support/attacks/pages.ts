import { randomBytes, randomUUID } from "node:crypto";
import { type Attack, asking, pouring, requestOf } from "./attack.ts";

const FORM = { "Content-Type": "application/x-www-form-urlencoded", Origin: "http://a" };
/** More networks than those whose tries a page counts at once would need. */
const MANY_ADDRESSES = 1_000;
/** As many characters as a login carries of a form. The page shows each of them as six bytes. */
const CARRIED = '"'.repeat(4_000);

/** Attacks on the pages for people. */
export const PAGE_ATTACKS: readonly Attack[] = [
  {
    name: "console-logins",
    about: "tries passwords at the console from many networks",
    connections: 100,
    addresses: MANY_ADDRESSES,
    live: (socket) => asking(socket, () => login({ login: `operator-${randomUUID()}`, password: randomUUID() })),
  },
  {
    name: "console-forms",
    about: "sends the console forms without a session, as long as a login carries them",
    connections: 50,
    live: (socket) => asking(socket, () => formTo("/console/installations", { name: CARRIED, csrf: "x" })),
  },
  {
    name: "console-carried",
    about: "logs in with a form that is as long as a login carries",
    connections: 50,
    live: (socket) => asking(socket, () => login({ login: "operator", password: "x", kept: "/console/", "kept.name": CARRIED })),
  },
  {
    name: "console-cookies",
    about: "asks for pages of the console with sessions that this server has not made",
    connections: 100,
    live: (socket) =>
      asking(socket, () =>
        requestOf("GET /console/operations", { Cookie: `console_session=${sealed(400)}; console_browser=${sealed(200)}` }),
      ),
  },
  {
    name: "settings-cookies",
    about: "asks for pages of settings with sessions that this server has not made",
    connections: 100,
    live: (socket) => asking(socket, () => requestOf("GET /settings/stores", { Cookie: `settings_session=${sealed(600)}` })),
  },
  {
    name: "settings-tokens",
    about: "begins windows of settings with tokens of the platform that nobody has signed, from many networks",
    connections: 100,
    addresses: MANY_ADDRESSES,
    live: (socket, { appId }) => asking(socket, () => proof({ appId, token: `${sealed(60)}.${sealed(300)}.${sealed(256)}` })),
  },
  {
    name: "settings-keys",
    about: "begins windows of settings with keys that the platform does not know, from many networks",
    connections: 100,
    addresses: MANY_ADDRESSES,
    live: (socket, { appId }) => asking(socket, () => proof({ appId, contextKey: randomBytes(24).toString("base64url") })),
  },
  {
    name: "unread-metrics",
    about: "pipelines GET /metrics on many connections and reads nothing",
    connections: 500,
    live(socket) {
      socket.pause();
      pouring(socket, Buffer.concat(Array.from({ length: 100 }, () => requestOf("GET /metrics"))));
    },
  },
];

function login(fields: Record<string, string>): Buffer {
  return formTo("/console/login", fields);
}

function formTo(path: string, fields: Record<string, string>): Buffer {
  const body = new URLSearchParams(fields).toString();
  return requestOf(`POST ${path}`, { ...FORM, "Content-Length": body.length }, body);
}

function proof(fields: Record<string, string>): Buffer {
  const body = JSON.stringify(fields);
  return requestOf("POST /settings/session", { "Content-Type": "application/json", "Content-Length": body.length }, body);
}

/** A text that looks like something that the server has sealed or somebody has signed. */
function sealed(bytes: number): string {
  return randomBytes(bytes).toString("base64url");
}
