import type { Log } from "../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import type { Exchange, Exchanged, Wire } from "../../src/platform/api/exchange.ts";
import { openVendorClient, type VendorClient } from "../../src/platform/vendor/client.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** The page that a proxy sends instead of the platform's answer. */
export const PAGE = "<html><body>502 Bad Gateway</body></html>";
/** No answer comes until the time limit. */
export const SILENCE = Symbol("no answer");
export type Reply = ((exchange: Exchange) => Promise<Exchanged>) | typeof SILENCE;

export function answers(status: number, body = "", headers: Record<string, string> = {}): Reply {
  return async () => ({ status, headers, body: Buffer.from(body) });
}

/** One error in the platform's form. */
export function refuses(status: number, code: number, headers: Record<string, string> = {}): Reply {
  return answers(status, JSON.stringify({ errors: [{ error: `Ошибка ${code}`, code }] }), headers);
}

export function fails(code: string): Reply {
  return async () => {
    throw Object.assign(new Error(`failed with ${code}`), { code });
  };
}

export interface Played<Result> {
  result: Result;
  requests: Exchange[];
  tookMs: number;
  /** All lines of the log in one text. */
  log: string;
}

/** Runs a vendor call to `https://apps.example`, which gets these replies one after the other. Time passes while the call waits. */
export async function play<Result>(replies: readonly Reply[], call: (client: VendorClient) => Promise<Result>): Promise<Played<Result>> {
  const clock = new VirtualClock(0);
  const requests: Exchange[] = [];
  const lines: string[] = [];
  let tokens = 0;
  const wire: Wire = {
    exchange(exchange) {
      requests.push(exchange);
      const reply = replies[requests.length - 1];
      if (reply === undefined) return Promise.reject(new Error("one attempt too many"));
      return reply === SILENCE ? hang(exchange.signal) : reply(exchange);
    },
    close: async () => undefined,
    abandon: async () => undefined,
  };
  const { headers } = PLATFORM_PROFILES.canonical;
  const token = async () => `token-${++tokens}`;
  const client = openVendorClient({ url: "https://apps.example", token, headers, wire, clock, log: linesInto(lines) });
  let tookMs = -1;
  const running = call(client).finally(() => {
    tookMs = clock.monotonicMs();
  });
  const settled = Promise.allSettled([running]);
  await clock.advance(60_000);
  await settled;
  return { result: await running, requests, tookMs, log: lines.join("\n") };
}

function hang(signal: AbortSignal): Promise<Exchanged> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

function linesInto(lines: string[]): Log {
  const put = (values: Record<string, unknown>, text: string) => void lines.push(`${text} ${JSON.stringify(values)}`);
  return { trace: put, debug: put, info: put, warn: put, error: put };
}
