import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { withoutSlashes } from "../../kernel/text-end.ts";

/** The addresses of a server: its base address, and the addresses `/enrol` and `/connect` below the base address. */
export interface ServerAddress {
  /** For example `https://fiscal.shop.example/agents`. */
  base: string;
  enrolUrl: string;
  connectUrl: string;
}

type ReadServer = { kind: "address"; address: ServerAddress } | { kind: "invalid"; problem: string };

/**
 * Parses the address that `agents enrol` prints. An address without TLS must lead to this machine. `plain` also allows other machines, but
 * never in production.
 */
export function readServer(text: string, { plain, production }: { plain: boolean; production: boolean }): ReadServer {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url !== undefined && `${url.search}${url.hash}${url.username}${url.password}` === "";
  if (!isBare || !/^(wss?|https?):$/.test(url.protocol)) {
    return { kind: "invalid", problem: `the server's address is like wss://fiscal.shop.example/agents, not "${text}"` };
  }
  const secure = url.protocol === "wss:" || url.protocol === "https:";
  if (!secure && !isLoopback(url.hostname)) {
    if (production) return { kind: "invalid", problem: `${url.host} must be reached by wss: when NODE_ENV is production` };
    if (!plain)
      return { kind: "invalid", problem: `${url.host} is to be reached without TLS: use wss:, or --plain in a network for tests` };
  }
  const path = withoutSlashes(`${url.host}${url.pathname}`);
  const base = `${secure ? "https" : "http"}://${path}`;
  return {
    kind: "address",
    address: { base, enrolUrl: `${base}/enrol`, connectUrl: `${secure ? "wss" : "ws"}://${path}/connect` },
  };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

interface WayOptions {
  ca?: string;
  proxyEnv: Record<string, string>;
}

/**
 * Returns a Node HTTP agent for one attempt to connect. This HTTP agent keeps no idle connection, so each attempt resolves the host name
 * again. A proxy is used only for a connection with TLS.
 */
export function wayTo(url: string, { ca, proxyEnv }: WayOptions): HttpAgent {
  const isSecure = url.startsWith("wss:") || url.startsWith("https:");
  if (!isSecure) return new HttpAgent({ keepAlive: false });
  return new HttpsAgent({ keepAlive: false, proxyEnv, ...(ca === undefined ? {} : { ca }) });
}
