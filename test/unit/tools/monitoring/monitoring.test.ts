import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { missingProgram } from "../../../support/missing-program.ts";

const SRC = fileURLToPath(new URL("../../../../src", import.meta.url));
const RULES_FILE = join(SRC, "tools/monitoring/alerts.yml");

const RULES = z
  .strictObject({
    groups: z.array(
      z.strictObject({
        name: z.string(),
        rules: z.array(
          z.strictObject({
            alert: z.string().regex(/^Fiscal[A-Za-z]+$/),
            expr: z.string(),
            for: z
              .string()
              .regex(/^\d+[smh]$/)
              .optional(),
            labels: z.strictObject({ severity: z.enum(["page", "ticket"]) }),
            annotations: z.strictObject({ summary: z.string(), description: z.string().optional() }),
          }),
        ),
      }),
    ),
  })
  .parse(parse(readFileSync(RULES_FILE, "utf8"), { strict: true, uniqueKeys: true }))
  .groups.flatMap(({ rules }) => rules);

const DASHBOARD = z
  .looseObject({
    uid: z.string(),
    panels: z.array(
      z.looseObject({
        id: z.int(),
        type: z.string(),
        title: z.string(),
        gridPos: z.strictObject({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
        targets: z.array(z.looseObject({ expr: z.string() })).default([]),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(SRC, "tools/monitoring/dashboard.json"), "utf8")));

/** Metrics of Prometheus itself and of a process, besides the server's. */
const OF_OTHERS = ["up", "process_resident_memory_bytes", "process_cpu_seconds_total", "nodejs_eventloop_lag_p99_seconds"];
/** Words of the query language, and labels. */
const NO_METRICS =
  /^(sum|max|min|count|by|rate|increase|histogram_quantile|absent|vector|or|and|le|instance|register|about|outcome|status|state|where|why|job|version|acquirer|call|fiscal|silent)$/;

/** The names of the metrics that the server's files make. */
function madeNames(): Set<string> {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) => /^app\/.*metrics.*\.ts$/.test(name));
  const text = files.map((name) => readFileSync(join(SRC, name), "utf8")).join("\n");
  const direct = [...text.matchAll(/"((?:fiscal|alert|payment|acquirer|cluster)_[a-z_]+)"/g)].map(([, name = ""]) => name);
  const ofRegisters = [...text.matchAll(/ofRegister\(\s*"([a-z_]+)"/g)].map(([, name = ""]) => `fiscal_register_${name}`);
  return new Set([...direct, ...ofRegisters]);
}

/** The names of metrics in a query. */
function usedNames(query: string): string[] {
  const bare = query.replaceAll(/"[^"]*"|\$__rate_interval|\[[^\]]*\]|\bby \([^)]*\)/g, " ");
  return [...bare.matchAll(/[a-z_][a-z0-9_]*/g)].map(([name]) => name).filter((name) => !NO_METRICS.test(name));
}

function promtool(...args: string[]): { status: number | null; text: string } {
  const { status, stderr, stdout } = spawnSync("promtool", args, { encoding: "utf8" });
  return { status, text: stdout + stderr };
}

describe("the alert rules and the dashboard", () => {
  const queries = [
    ...RULES.map(({ alert, expr }) => [alert, expr]),
    ...DASHBOARD.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr])),
  ];

  it.each(queries)("ask for metrics that a server gives: %s", (_title, query = "") => {
    const made = madeNames();
    const used = usedNames(query);
    expect(used.length).toBeGreaterThan(0);
    for (const name of used) {
      const base = name.replace(/_(bucket|count|sum)$/, "");
      expect([...made, ...OF_OTHERS], name).toContain(made.has(base) ? base : name);
    }
  });

  it("name each alert once, and tell a person what it is", () => {
    expect(new Set(RULES.map(({ alert }) => alert)).size).toBe(RULES.length);
    for (const { annotations } of RULES) expect(annotations.summary).toMatch(/\.$/);
  });

  it("have panels with numbers of their own that do not lie over each other", () => {
    const cells = DASHBOARD.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(DASHBOARD.panels.map(({ id }) => id)).size).toBe(DASHBOARD.panels.length);
    for (const { gridPos } of DASHBOARD.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });

  const missing = missingProgram("promtool");
  it.skipIf(missing !== undefined)(`are rules that Prometheus takes, and each alert comes when it is due${missing ?? ""}`, () => {
    expect(promtool("check", "rules", RULES_FILE)).toMatchObject({
      status: 0,
      text: expect.stringContaining(`${RULES.length} rules found`),
    });
    const folder = mkdtempSync(join(tmpdir(), "rules-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "trial.yml");
    writeFileSync(file, JSON.stringify({ rule_files: [RULES_FILE], tests: RULES.map(({ alert }) => trialOf(alert)) }));
    expect(promtool("test", "rules", file)).toEqual({ status: 0, text: expect.stringContaining("SUCCESS") });
  });
});

/** For each alert the series that raise it from the first minute on. */
const RAISED_BY: Record<string, string[]> = {
  FiscalNobodyServes: ['up{job="fiscal",instance="a"} 0'],
  FiscalServerDown: ['up{job="fiscal",instance="a"} 0', 'up{job="fiscal",instance="b"} 1'],
  FiscalServerErrors: [
    'fiscal_http_request_duration_seconds_count{instance="a",status="500"} 0+1x240',
    'fiscal_http_request_duration_seconds_count{instance="a",status="200"} 0+9x240',
  ],
  FiscalOperationsSlow: [
    'fiscal_operation_duration_seconds_bucket{le="5"} 0+1x240',
    'fiscal_operation_duration_seconds_bucket{le="10"} 0+9x240',
    'fiscal_operation_duration_seconds_bucket{le="+Inf"} 0+9x240',
  ],
  FiscalVersionsDiffer: ['fiscal_build_info{version="1"} 1', 'fiscal_build_info{version="2"} 1'],
  FiscalLaneStopped: ['fiscal_lane_stopped{register="r",instance="a"} 1', 'fiscal_lane_stopped{register="r",instance="b"} 1'],
  FiscalDoubtWaits: ['fiscal_journal_entries{state="in-doubt",instance="a"} 2', 'fiscal_journal_entries{state="in-doubt",instance="b"} 2'],
  FiscalLaneCrowded: ['fiscal_lane_waiting{register="r",instance="a"} 11'],
  FiscalReturnsAboveSale: ['fiscal_returns_above_sale_total{how="sum"} 0 0 1+0x240'],
  FiscalRegisterUnreachable: ['fiscal_register_reachable{register="r"} 0'],
  FiscalRegisterStopped: ['fiscal_register_concern{register="r",about="paper"} 2'],
  FiscalRegisterWillStop: ['fiscal_register_concern{register="r",about="drive-days"} 1'],
  FiscalPaymentUnsold: ["payment_unsold 1"],
  FiscalMessagesUnsent: ['alert_unsent{audience="operator"} 1'],
  FiscalProcessLost: ['cluster_takeovers_total{why="silent"} 0 0 1+0x240'],
  FiscalFenced: ['cluster_fenced_total{where="link"} 0+1x240'],
  FiscalForwardsUnanswered: ['cluster_forwards_total{outcome="no-answer",instance="a"} 0+60x240'],
  FiscalRenewalsSlow: [
    'cluster_renewal_seconds_bucket{le="0.5",instance="a"} 0+1x240',
    'cluster_renewal_seconds_bucket{le="1",instance="a"} 0+60x240',
    'cluster_renewal_seconds_bucket{le="+Inf",instance="a"} 0+60x240',
  ],
};

function trialOf(alert: string): object {
  const series = (RAISED_BY[alert] ?? []).map((line) => {
    const [, name, values = ""] = /^(\S+?(?:\{.*\})?) (.+)$/.exec(line) ?? [];
    return { series: name, values: values.includes("x") ? values : `${values}+0x240` };
  });
  // Only the number of alerts is compared, by Prometheus's own series, because each alert has labels and words of its
  // own.
  const raised = `count(ALERTS{alertname="${alert}",alertstate="firing"})`;
  const minute = alert === "FiscalVersionsDiffer" ? 70 : alert === "FiscalProcessLost" || alert === "FiscalReturnsAboveSale" ? 5 : 30;
  return {
    interval: "1m",
    input_series: series,
    promql_expr_test: [{ expr: raised, eval_time: `${minute}m`, exp_samples: [{ labels: "{}", value: 1 }] }],
  };
}
