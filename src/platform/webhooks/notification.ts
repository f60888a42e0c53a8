import type { NotificationEvent } from "./schema.ts";

/** The same in every attempt of one notification; undefined when the platform sent none. `url` as it was requested. */
export function requestIdOf(url: string): string | undefined {
  const query = url.includes("?") ? url.slice(url.indexOf("?")) : "";
  return new URLSearchParams(query).get("requestId") ?? undefined;
}

/** The sender names itself so, in each of its versions (D1). Anybody can: it proves nothing. */
export function isFromPlatform(userAgent: string | undefined): boolean {
  return userAgent !== undefined && / webhook touch agent \d/.test(userAgent);
}

/** Each object once, though several events of a notification may lead to it: it is read again, and its newest state counts. */
export function objectsIn(events: readonly NotificationEvent[]): readonly NotificationEvent[] {
  return [...new Map(events.map((event) => [event.meta.href, event])).values()];
}
