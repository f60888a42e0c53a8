import { describe, expect, it } from "vitest";
import { type MetricSources, Metrics } from "../../../src/app/metrics.ts";
import { CONSOLE_ENDPOINTS } from "../../../src/web/console/endpoints.ts";
import { SETTINGS_ENDPOINTS } from "../../../src/web/settings/endpoints.ts";

const nothing: MetricSources = { lanes: () => [], stopped: () => [], registers: () => [], journal: async () => ({}) };
const metricsOf = (sources: Partial<MetricSources> = {}) =>
  new Metrics({ version: "1.0.0", sources: { ...nothing, ...sources }, ofProcess: false });

/** The number of observed pages. */
async function observed(metrics: Metrics): Promise<number> {
  const counts = [...(await metrics.text()).matchAll(/^page_seconds_count\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

describe("metrics", () => {
  it("count operations by kind and outcome", async () => {
    const metrics = metricsOf();
    metrics.observeOperation("sale", "done", 40);
    metrics.observeOperation("sale", "done");
    metrics.observeOperation("sale", "refused");
    const text = await metrics.text();
    expect(text).toContain('fiscal_operations_total{operation="sale",outcome="done"} 2');
    expect(text).toContain('fiscal_operations_total{operation="sale",outcome="refused"} 1');
    expect(text).toContain('fiscal_operation_duration_seconds_bucket{le="0.05",operation="sale"} 1');
  });

  it("count returns that give back more than was sold, by how", async () => {
    const metrics = metricsOf();
    for (const how of ["quantity", "total", "total"]) metrics.observeReturnedMore(how);
    const text = await metrics.text();
    expect(text).toContain('fiscal_returns_above_sale_total{how="quantity"} 1');
    expect(text).toContain('fiscal_returns_above_sale_total{how="total"} 2');
  });

  it("time requests by route", async () => {
    const metrics = metricsOf();
    metrics.observeRequest({ route: "PUT /fiscal/1/openshift", status: 200, durationMs: 30 });
    const text = await metrics.text();
    expect(text).toContain('fiscal_http_request_duration_seconds_bucket{le="0.05",route="PUT /fiscal/1/openshift",status="200"} 1');
    expect(text).toContain('fiscal_http_request_duration_seconds_bucket{le="0.025",route="PUT /fiscal/1/openshift",status="200"} 0');
  });

  it("time the pages by their names, and no part of one, file, or answer that leads elsewhere", async () => {
    const metrics = metricsOf();
    const seen = (route: string, status = 200) => metrics.observeRequest({ route, status, durationMs: 30 });
    for (const route of ["GET /console/operations/:key", "GET /settings/stores/:storeId", "GET /settings/stores/:storeId/state"])
      seen(route);
    for (const route of ["GET /console/operations.csv", "POST /console/login", "GET /health"]) seen(route);
    seen("GET /console/", 303);
    seen("GET /console/", 0);
    const text = await metrics.text();
    expect([...text.matchAll(/^page_seconds_count\{page="(.*)"\} (\d+)$/gm)].map(([, page, count]) => `${page} ${count}`)).toEqual([
      "operation 1",
      "store 1",
    ]);
    expect(text).toContain('page_seconds_bucket{le="0.05",page="store"} 1');
  });

  it("name every page of the console and of the settings", async () => {
    const metrics = metricsOf();
    const parts = /\.csv|\.pdf|receipts\/|\/(state|register|operations|acquirer|agent)$/;
    const bases = [["/console", CONSOLE_ENDPOINTS] as const, ["/settings", SETTINGS_ENDPOINTS] as const];
    const routes = bases.flatMap(([base, rows]) =>
      rows
        .filter(({ method, path }) => method === "GET" && !(base === "/settings" ? parts : /\.csv|\.pdf/).test(path))
        .map(({ path }) => `GET ${base}${path}`),
    );
    for (const route of routes) {
      const before = await observed(metrics);
      metrics.observeRequest({ route, status: 200, durationMs: 1 });
      expect([route, (await observed(metrics)) - before]).toEqual([route, 1]);
    }
  });

  it("count messages of alerts, and show those that could not be sent", async () => {
    const metrics = metricsOf({ alerts: { unsent: async () => [{ audience: "owner", count: 2 }] } });
    metrics.alerts.observe("doubt", "operator", "sent");
    const text = await metrics.text();
    expect(text).toContain('alert_messages_total{kind="doubt",audience="operator",outcome="sent"} 1');
    expect(text).toContain('alert_unsent{audience="owner"} 2');
  });

  it("show each register as it was last seen, and none that is gone", async () => {
    const seen = {
      register: "emulator:a",
      ageSeconds: 2,
      reachable: true,
      shift: "expired",
      paper: "out",
      unsent: 3,
      lastDocumentNumber: 17,
      reserves: {},
    } as const;
    let registers = [{ ...seen }];
    const metrics = metricsOf({ registers: () => registers });
    const text = await metrics.text();
    for (const line of [
      'shift_open{register="emulator:a"} 1',
      'shift_expired{register="emulator:a"} 1',
      'paper_out{register="emulator:a"} 1',
      'unsent_documents{register="emulator:a"} 3',
      'last_document_number{register="emulator:a"} 17',
      'reachable{register="emulator:a"} 1',
      'seen_age_seconds{register="emulator:a"} 2',
    ]) {
      expect(text).toContain(`fiscal_register_${line}`);
    }
    registers = [];
    expect(await metrics.text()).not.toContain("emulator:a");
  });

  it("show what a register has left, and nothing of what it does not tell", async () => {
    const seen = { ageSeconds: 2, reachable: true, shift: "open", paper: "present", unsent: 3, lastDocumentNumber: 17 } as const;
    const reserves = { keyDays: 6.5, documentsLeft: 0, memoryFull: true, queueDays: 12, shiftHours: 1.5, clockAheadMinutes: -2 };
    const text = await metricsOf({
      registers: () => [
        { ...seen, register: "emulator:a", reserves },
        { ...seen, register: "emulator:b", reserves: {} },
      ],
    }).text();
    for (const line of [
      'drive_days_left{register="emulator:a"} 6.5',
      'drive_documents_left{register="emulator:a"} 0',
      'drive_memory_full{register="emulator:a"} 1',
      'unsent_age_seconds{register="emulator:a"} 1036800',
      'shift_age_seconds{register="emulator:a"} 5400',
      'clock_ahead_seconds{register="emulator:a"} -120',
      'concern{register="emulator:a",about="drive-keys"} 1',
      'concern{register="emulator:a",about="drive-memory"} 2',
      'concern{register="emulator:a",about="queue"} 1',
    ]) {
      expect(text).toContain(`fiscal_register_${line}\n`);
    }
    expect(text.match(/fiscal_register_concern\{/g)).toHaveLength(3);
    expect(text).not.toMatch(/(left|full|unsent_age_seconds|shift_age_seconds|ahead_seconds|concern)\{register="emulator:b"/);
    expect(text).toContain("# HELP fiscal_register_drive_days_left Days until the keys of the drive end");
  });

  it("show lanes, stopped lanes and the journal", async () => {
    const text = await metricsOf({
      lanes: () => [{ register: "emulator:a", waiting: 4 }],
      stopped: () => ["emulator:b"],
      journal: async () => ({ done: 9, "in-doubt": 1 }),
    }).text();
    expect(text).toContain('fiscal_lane_waiting{register="emulator:a"} 4');
    expect(text).toContain('fiscal_lane_stopped{register="emulator:b"} 1');
    expect(text).toContain('fiscal_journal_entries{state="in-doubt"} 1');
  });

  it("of two servers in one process do not mix", async () => {
    const [first, second] = [metricsOf(), metricsOf()];
    first.observeOperation("cash-in", "done");
    expect(await second.text()).not.toContain("cash-in");
  });
});
