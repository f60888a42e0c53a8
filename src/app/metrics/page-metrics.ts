import { Histogram, type Registry } from "prom-client";
import type { SeenRequest } from "../../http/access-log.ts";

/** In seconds. A page answers within a second, even when a device is away. */
const PAGE_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/**
 * The names of the pages by route, as in `data-page`. The first page of the settings has another name, because the first page of the
 * console is `home` too. Parts of pages, files and acts are not counted.
 */
const PAGES: ReadonlyMap<string, string> = new Map([
  ["GET /settings/", "settings"],
  ["GET /settings/stores", "stores"],
  ["GET /settings/stores/:storeId", "store"],
  ["GET /settings/payments", "payments"],
  ["GET /settings/payments/:paymentId", "payment"],
  ["GET /settings/members", "members"],
  ["GET /settings/members/:memberId", "member"],
  ["GET /settings/loyalty", "loyalty"],
  ["GET /console/", "home"],
  ["GET /console/login", "login"],
  ["GET /console/operations", "operations"],
  ["GET /console/operations/:key", "operation"],
  ["GET /console/registers", "registers"],
  ["GET /console/agents", "agents"],
  ["GET /console/installations", "installations"],
  ["GET /console/payments", "payments"],
  ["GET /console/payments/:id", "payment"],
  ["GET /console/members", "members"],
  ["GET /console/members/:id", "member"],
  ["GET /console/totals", "totals"],
  ["GET /console/audit", "audit"],
]);

export class PageMetrics {
  readonly #durations: Histogram<"page">;

  constructor(registry: Registry) {
    this.#durations = new Histogram({
      name: "page_seconds",
      help: "Answers with a page of the settings or of the console, by page",
      labelNames: ["page"],
      buckets: PAGE_BUCKETS,
      registers: [registry],
    });
  }

  /** Ignores other routes, redirections, and requests whose caller disconnected (status 0). */
  observe({ route, status, durationMs }: SeenRequest): void {
    const page = PAGES.get(route);
    if (page === undefined || status === 0 || (status >= 300 && status < 400)) return;
    this.#durations.observe({ page }, durationMs / 1_000);
  }
}
