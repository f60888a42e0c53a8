import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { missingProgram } from "../../support/missing-program.ts";

const ROOT = new URL("../../../", import.meta.url);
const TEXT = readFileSync(new URL("docker-compose.yml", ROOT), "utf8");

const service = z.looseObject({
  image: z.string(),
  environment: z.record(z.string(), z.string()).default({}),
  mem_limit: z.string(),
  logging: z.strictObject({ driver: z.literal("json-file"), options: z.strictObject({ "max-size": z.string(), "max-file": z.string() }) }),
  restart: z.literal("unless-stopped"),
  networks: z.array(z.string()),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  configs: z.array(z.strictObject({ source: z.string(), target: z.string() })).default([]),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.string() })).default({}),
  profiles: z.array(z.string()).default([]),
  entrypoint: z.array(z.string()).default([]),
  stop_grace_period: z.string().optional(),
});

const FILE = z
  .strictObject({
    "x-logging": z.unknown(),
    "x-server": z.unknown(),
    "x-environment": z.unknown(),
    services: z.record(z.string(), service),
    configs: z.record(z.string(), z.strictObject({ content: z.string() })),
    networks: z.record(z.string(), z.looseObject({})),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(parse(TEXT, { merge: true, strict: true, uniqueKeys: true }));

const SERVICES = Object.entries(FILE.services);
const SERVERS = SERVICES.filter(([name]) => name.startsWith("server-"));

/**
 * Has HAProxy check the configuration. An error names the line that HAProxy does not understand. The names of
 * containers cannot be resolved here.
 */
function checkProxy(content: string): { status: number | null; text: string } {
  const folder = mkdtempSync(join(tmpdir(), "proxy-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, content);
  const { status, stderr, stdout } = spawnSync("haproxy", ["-c", "-f", file], { encoding: "utf8" });
  return { status, text: stderr + stdout };
}

describe("docker-compose.yml", () => {
  it("describes two servers, the proxy before them and their database; who watches them comes on request", () => {
    const named = (profiles: string[]) => SERVICES.filter(([, one]) => one.profiles.join() === profiles.join()).map(([name]) => name);
    expect(named([])).toEqual(["server-1", "server-2", "proxy", "database"]);
    expect(named(["monitoring"])).toEqual(["prometheus", "grafana"]);
  });

  it.each(SERVICES)("bounds memory and log of %s, and starts it again when it ends", (_name, { mem_limit, logging }) => {
    expect(mem_limit).toMatch(/^\d+[mg]$/);
    expect(logging.options["max-size"]).toMatch(/^\d+m$/);
    expect(logging.options["max-file"]).toMatch(/^\d$/);
  });

  it("has no password of its own: without one that is given nothing starts", () => {
    const passwords = [...TEXT.matchAll(/\$\{POSTGRES_PASSWORD([^}]*)\}/g)].map(([, otherwise]) => otherwise);
    expect(passwords).toHaveLength(2);
    for (const otherwise of passwords) expect(otherwise).toMatch(/^:\?/);
    for (const [, given] of TEXT.matchAll(/(?:PASSWORD|SECRET_KEY): (.+)/g)) expect(given).toMatch(/^"?\$\{/);
  });

  it("starts no Grafana without a password, which would take admin for one", () => {
    const [shell = "", flag = "", text = ""] = FILE.services.grafana?.entrypoint ?? [];
    const script = text.replaceAll("$$", "$").replace("exec /run.sh", "echo started");
    const startWith = (password: string) =>
      spawnSync(shell, [flag, script], { encoding: "utf8", env: { GF_SECURITY_ADMIN_PASSWORD: password } });
    expect(startWith("")).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("GRAFANA_PASSWORD is not set") });
    expect(startWith("of-its-own")).toMatchObject({ status: 0, stdout: "started\n" });
  });

  it("gives each server its own address for the others and its own folder, and everything else in common", () => {
    const [one, other] = SERVERS;
    for (const [name, { environment, volumes }] of SERVERS) {
      expect(environment.CLUSTER_URL).toBe(`http://${name}:9101`);
      expect(volumes).toEqual([`data-${name.slice("server-".length)}:/data`]);
    }
    const common = (environment: Record<string, string> = {}) => ({ ...environment, CLUSTER_URL: "" });
    expect(common(one?.[1].environment)).toEqual(common(other?.[1].environment));
    expect(one?.[1].environment.DATABASE_URL).toContain("@database:5432/");
  });

  it("publishes ports on this machine alone, and no port of a server or of the database", () => {
    for (const [name, { ports }] of SERVICES) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
      if (name === "database" || name.startsWith("server-")) expect(ports).toEqual([]);
    }
  });

  it("names only services, networks, volumes, files and configs that are there", () => {
    for (const [, { depends_on, networks, volumes, configs }] of SERVICES) {
      for (const name of Object.keys(depends_on)) expect(Object.keys(FILE.services)).toContain(name);
      for (const name of networks) expect(Object.keys(FILE.networks)).toContain(name);
      for (const { source } of configs) expect(Object.keys(FILE.configs)).toContain(source);
      for (const volume of volumes) {
        const [source = ""] = volume.split(":");
        if (source.startsWith("./")) expect(existsSync(new URL(source, ROOT)), source).toBe(true);
        else expect(Object.keys(FILE.volumes)).toContain(source);
      }
    }
  });

  it("lets a server end what is at a register before it is killed", () => {
    for (const [, { stop_grace_period }] of SERVERS) expect(stop_grace_period).toBe("110s");
  });

  it("keeps probes, metrics and calls between processes inside, and asks /ready whether a server may be sent to", () => {
    const { content } = FILE.configs.proxy ?? { content: "" };
    const [, inside = "nothing"] = /deny deny_status 404 if \{ path_reg -i (\S+) \}/.exec(content) ?? [];
    const kept = ["/health", "/ready", "/metrics", "/internal/submit", "//metrics", "/metrics/", "///ready", "/READY", "//internal/submit"];
    for (const path of kept) expect([path, new RegExp(inside, "i").test(path)]).toEqual([path, true]);
    const passed = ["/", "/fiscal/metrics", "/vendor/internal", "/agents/health", "/settings", "/hooks/ready"];
    for (const path of passed) expect([path, new RegExp(inside, "i").test(path)]).toEqual([path, false]);
    expect(content).toContain("option httpchk GET /ready");
    for (const [name] of SERVERS) expect(content).toContain(`server ${name} ${name}:8080`);
  });

  it("gives the proxy memory for as many connections as it takes, although all of them send and read slowly", () => {
    const { content } = FILE.configs.proxy ?? { content: "" };
    const connections = Number(/^\s*maxconn (\d+)$/m.exec(content)?.[1]);
    const [, megabytes = "0"] = /^(\d+)m$/.exec(FILE.services.proxy?.mem_limit ?? "") ?? [];
    // A buffer of the request and one of the answer (tune.bufsize), and what HAProxy notes about a connection.
    expect((connections * (2 * 16 + 4)) / 1024).toBeLessThan(Number(megabytes));
  });

  const missing = missingProgram("haproxy");
  it.skipIf(missing !== undefined)(`has a proxy that understands its configuration${missing ?? ""}`, () => {
    const { content } = FILE.configs.proxy ?? { content: "" };
    const { status, text } = checkProxy(content);
    expect({ status, text }).toEqual({ status: 0, text: expect.stringContaining("Configuration file is valid") });
    expect(checkProxy(content.replace("option httpchk", "option httpcheck")).status).toBe(1);
  });
});
