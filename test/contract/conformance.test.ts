import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runCommand } from "../../src/cli/run.ts";
import { SOURCES } from "../../src/tools/conformance/rules/rule.ts";
import { BROKEN_FISCAL } from "../support/broken-fiscal.ts";
import { BROKEN_VENDOR } from "../support/broken-vendor.ts";
import { COMPILE_CACHE } from "../support/compile-cache.ts";
import { type Break, Double } from "../support/double-server.ts";
import { DOUBLE_APP, stateIs } from "../support/double-vendor.ts";
import { EXTENT } from "../support/extent.ts";
import { serverProcess, temporaryFolder } from "../support/server-process.ts";

async function conformance(...args: string[]) {
  const lines = { out: [] as string[], err: [] as string[] };
  const exitCode = await runCommand(COMMANDS, ["conformance", ...args], {
    out: (line) => void lines.out.push(line),
    err: (line) => void lines.err.push(line),
    signal: new AbortController().signal,
  });
  return { exitCode, ...lines };
}

async function doubleAt(broken?: Break): Promise<string> {
  const double = new Double(broken);
  onTestFinished(() => double.close());
  return double.open();
}

/** The rules that `npm test` runs against the real server: the contract that installs, and the answer to each operation. */
const SHORT_PARTS = ["vendor", "fiscal/answer"];

describe("our server", () => {
  it("holds every rule of its descriptor, the vendor contract and the fiscal contract", async () => {
    const server = serverProcess(temporaryFolder());
    await server.start();
    for (const part of EXTENT === "long" ? [[]] : SHORT_PARTS.map((name) => ["--only", name])) {
      const report = join(temporaryFolder(), "report.json");
      const run = await conformance("--base", server.base, "--descriptor", "descriptor/solution.xml", "--json", report, ...part);
      expect(run.out.filter((line) => /^(BROKEN|could not run|left behind)/.test(line))).toEqual([]);
      expect(run.exitCode).toBe(0);
      const { counts, drives, permission } = JSON.parse(readFileSync(report, "utf8")) as Record<string, unknown>;
      expect(counts).toMatchObject({ broken: 0, "could-not-run": 0 });
      expect(permission).toBe("development-set");
      expect((drives as string[]).every((drive) => drive.startsWith("9999"))).toBe(true);
    }
    // The time limit of about five hundred requests to a server with all its parts.
  }, 240_000);
});

describe("the command conformance", () => {
  it("ends with 1 when a rule is broken, and tells its author what to mend", async () => {
    const base = await doubleAt(BROKEN_VENDOR["vendor/token/wrong-secret"]?.().broken);
    const { exitCode, out } = await conformance("--base", base, "--only", "vendor/token");
    expect(exitCode).toBe(1);
    expect(out.join("\n")).toMatch(
      /BROKEN +vendor\/token\/wrong-secret: .*\n +sent +PUT \/vendor\/.* with cause Install, another token\n +expected +401 .*\n +seen .*200.*\n +source +public \(.*\n +to mend +Verify/,
    );
    expect(out).toContain("to mend, in this order: vendor/token/wrong-secret");
  });

  it("prints only what is broken when it has to be quiet, and has the whole exchange in the report for programs", async () => {
    const base = await doubleAt(BROKEN_FISCAL["fiscal/content/vat"]?.().broken);
    const report = join(temporaryFolder(), "report.json");
    const { exitCode, out } = await conformance("--base", base, "--only", "fiscal/content/vat", "--quiet", "--json", report);
    expect(exitCode).toBe(1);
    expect(out[0]).toMatch(/^BROKEN +fiscal\/content\/vat: /);
    expect(out[1]).toBe("    sent      999: POST /fiscal/1/retaildemand with positions[0].vat 999");
    expect(out.filter((line) => /^(held|does not apply|vendor contract)/.test(line))).toEqual([]);
    const { rules } = JSON.parse(readFileSync(report, "utf8")) as {
      rules: Record<string, { url: string; body: string; status: number }>[];
    };
    const { request, answer } = rules.at(-1) ?? {};
    expect(request?.url).toBe(`${base}/fiscal/1/retaildemand`);
    expect(JSON.parse(request?.body ?? "")).toMatchObject({ positions: [{ vat: 999, price: "54.90" }] });
    expect(answer?.status).toBe(200);
  });

  it("lets nobody else read the report, whose requests have keys and contacts, whatever umask and an earlier report allow", async () => {
    const base = await doubleAt(BROKEN_FISCAL["fiscal/content/vat"]?.().broken);
    const reports = ["new.json", "earlier.json"].map((name) => join(temporaryFolder(), name));
    writeFileSync(reports[1] ?? "", "{}");
    chmodSync(reports[1] ?? "", 0o644);
    for (const report of reports) {
      await conformance("--base", base, "--only", "fiscal/content/vat", "--json", report);
      expect(readFileSync(report, "utf8")).toContain(`"request"`);
      expect((statSync(report).mode & 0o777).toString(8)).toBe("600");
    }
  });

  it("writes the report through a link whose file is missing, and keeps the link", async () => {
    const base = await doubleAt(BROKEN_FISCAL["fiscal/content/vat"]?.().broken);
    const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
    const [report, target] = [join(folder, "report.json"), join(elsewhere, "real.json")];
    symlinkSync(target, report);
    await conformance("--base", "http://127.0.0.1:9", "--json", report);
    expect([readlinkSync(report), existsSync(target)]).toEqual([target, false]);
    await conformance("--base", base, "--only", "fiscal/content/vat", "--json", report);
    expect([readlinkSync(report), (statSync(target).mode & 0o777).toString(8)]).toEqual([target, "600"]);
    expect(readFileSync(target, "utf8")).toContain(`"request"`);
  });

  it("looks at the platform's own rules alone when it is asked for their sources", async () => {
    const base = await doubleAt(BROKEN_FISCAL["fiscal/path/unknown"]?.().broken);
    const { exitCode, out } = await conformance("--base", base, "--only", "fiscal/path", "--source", "seed,public");
    expect([exitCode, out.at(-1)]).toEqual([0, "4 rules: 4 held, 0 broken, 0 could not run, 0 does not apply"]);
    expect(out).toContain("only rules from seed and public");
  });

  it("ends with 2 when nothing answers, and makes no report then", async () => {
    const report = join(temporaryFolder(), "report.json");
    const { exitCode, err } = await conformance("--base", "http://127.0.0.1:9", "--json", report);
    expect([exitCode, existsSync(report)]).toEqual([2, false]);
    expect(err.at(-1)).toMatch(/^nothing answers at http:\/\/127\.0\.0\.1:9: /);
  });

  it("ends with 2 when something could not be found out", async () => {
    const base = await doubleAt(async (request, honest) => (request.path.startsWith("/vendor/") ? stateIs() : honest(request)));
    const { exitCode, out } = await conformance("--base", base, "--only", "fiscal/path/served");
    expect(exitCode).toBe(2);
    expect(out).toContainEqual(
      expect.stringMatching(/^could not run +fiscal\/signature\/accepted: the server takes tokens signed with any secret/),
    );
  });

  it("registers nothing with credentials of one's own, and says so above everything else", async () => {
    const base = await doubleAt();
    const { appId, appUid } = DOUBLE_APP;
    const { exitCode, out } = await conformance(
      "--base",
      base,
      "--only",
      "vendor/activation/status",
      "--app",
      `${appId}:${appUid}:another:secret`,
    );
    expect(out).toContain("registers nothing: with credentials of your own only --registers-for-real allows it");
    expect([exitCode, out.at(-1)]).toEqual([1, "1 rules: 0 held, 1 broken, 0 could not run, 0 does not apply"]);
    expect(out.filter((line) => / to mend | development set/.test(line))).toEqual([
      expect.stringContaining("The secret of your --app is not the server's"),
    ]);
    expect(out.filter((line) => line.startsWith("left behind"))).toEqual([]);
  });

  it.runIf(EXTENT === "long")("takes down what it has set up when SIGINT comes, and ends with 2", async () => {
    const interrupted = new AbortController();
    const double = new Double(async (request, honest) => {
      const reply = await honest(request);
      if (request.path === "/fiscal/1/closeshift") interrupted.abort();
      return reply;
    });
    onTestFinished(() => double.close());
    const child = spawn(process.execPath, ["src/cli.ts", "conformance", "--base", await double.open()], {
      stdio: ["ignore", "pipe", "ignore"],
      env: COMPILE_CACHE,
    });
    interrupted.signal.addEventListener("abort", () => void child.kill("SIGINT"));
    const [out, [exitCode]] = await Promise.all([text(child.stdout), once(child, "exit") as Promise<[number]>]);
    expect(exitCode).toBe(2);
    expect(out).toMatch(/could not run +fiscal\/timing\/nine-seconds: the run was interrupted/);
    expect([...double.vendor.installed.values()].filter(({ state }) => state !== "uninstalled")).toEqual([]);
    expect(double.fiscal.openShifts).toBe(0);
    // The first start compiles the whole program.
  });

  it("tells in its help what the sources and clauses of the reports are", async () => {
    const { exitCode, out } = await conformance("--help");
    const words = out.join("\n").split("\nSources: ")[1] ?? "";
    expect(exitCode).toBe(0);
    for (const name of [...SOURCES, "platform-contracts 3.3", "interface 6", "fiscal-receipts 8"]) expect(words).toContain(name);
  });

  it("reads a descriptor alone, without any server, and without a port of its own", async () => {
    const port = new URL(await doubleAt()).port;
    const args = ["--descriptor", "descriptor/solution.xml", "--only", "descriptor", "--port", port];
    const { exitCode, out, err } = await conformance(...args);
    expect([exitCode, err]).toEqual([0, []]);
    expect(out.filter((line) => /registers|contract at/.test(line))).toEqual([]);
    expect(out.at(-1)).toMatch(/^26 rules: 24 held, 0 broken/);
  });

  it("ends with 2 when a signal comes while an address keeps its descriptor back", async () => {
    const stop = new AbortController();
    const silent = createServer(() => stop.abort());
    onTestFinished(() => void silent.close());
    await once(silent.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/descriptor.xml`;
    const err: string[] = [];
    const io = { out: () => {}, err: (line: string) => void err.push(line), signal: stop.signal };
    const ended = runCommand(COMMANDS, ["conformance", "--descriptor", url], io);
    expect(await ended.finally(() => silent.closeAllConnections())).toBe(2);
    expect(err).toEqual([expect.stringContaining(`--descriptor ${url} cannot be read: `)]);
  });

  it.each([
    [["--only", "fiscal/nonsense", "--base", "http://127.0.0.1:9"], /^--only: there is no rule "fiscal\/nonsense"/],
    [[], /^conformance needs --base URL, or --descriptor/],
    [["--base", "127.0.0.1:8080"], /^--base expects an address/],
    [["--base", "http://127.0.0.1:9", "--app", "one:two"], /^--app expects APPID:APPUID:SECRET/],
    [["--base", "http://127.0.0.1:9", "--profile", "real"], /^--profile expects canonical or production/],
    [["--base", "http://127.0.0.1:9", "--source", "seed,guessed"], /^--source expects one or more of seed, public, decided/],
    [["--base", "http://127.0.0.1:9", "--only", "fiscal/repeat/at-once", "--source", "decided,"], /^--source expects one or more/],
    [["--base", "http://127.0.0.1:9", "--port", "99999"], /^--port expects a port number/],
    [["--base", "http://127.0.0.1:9", "--jwks-port", "keys"], /^--jwks-port expects a port number/],
    [["--base", "http://127.0.0.1:9", "--jwks-port", "0", "--paying", "all"], /^--paying expects amounts or none/],
    [["--base", "http://127.0.0.1:9", "--jwks-port", "0", "--issuer", ""], /^--issuer expects/],
    [["--base", "http://127.0.0.1:9", "--only", "qr/token"], /^--only qr\/token needs --jwks-port/],
    [["--descriptor", "/nowhere/descriptor.xml"], /^--descriptor \/nowhere\/descriptor\.xml cannot be read/],
    [["--base", "http://127.0.0.1:9", "--json", "/nowhere/report.json"], /^--json \/nowhere\/report\.json cannot be written: /],
    [["--base", "http://127.0.0.1:9", "--json", "descriptor"], /^--json descriptor cannot be written: /],
    [["--base", "http://127.0.0.1:9", "--brase"], /--brase/],
  ])("refuses %j with one line and code 2", async (args, words) => {
    const { exitCode, out, err } = await conformance(...args);
    expect([exitCode, out, err]).toEqual([2, [], [expect.stringMatching(words)]]);
  });
});
