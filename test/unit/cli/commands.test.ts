import { describe, expect, it } from "vitest";
import type { CommandIo } from "../../../src/cli/command.ts";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { type CommandLoader, runCommand } from "../../../src/cli/run.ts";
import { benchCommand } from "../../bench/command.ts";
import { simulateCommand } from "../../simulation/command.ts";

/** The commands of `npm run cli`, and the two that are programs of their own. */
const ALL: readonly CommandLoader[] = [
  ...COMMANDS,
  ...[benchCommand, simulateCommand].map((one) => ({ name: one.name, load: async () => one })),
];

/** The forms of each command with right arguments. A further word is too much. */
const FORMS: Record<string, string[]> = {
  demo: [""],
  emulate: ["shtrih-m"],
  sandbox: [""],
  bank: ["yookassa", "tbank"],
  agent: ["status"],
  doctor: ["emulator:x"],
  agents: [
    "enrol name --account account",
    "list",
    "show name",
    "revoke name",
    "accept name/main",
    "accept --all-forked",
    "log name --lines 5 --follow",
  ],
  settings: ["list account", "set account store register=emulator:x"],
  journal: [
    "list",
    "show 1",
    "explain 1",
    "settle 1 --refused --why no-paper",
    "correct 1",
    "report x account store",
    "report state account store",
  ],
  payments: ["list", "show 1", "refund 1 100 --reason x", "settle 1 paid --reason x", "reconcile"],
  loyalty: [
    "programme show account",
    "programme set account file",
    "try account receipt --against file",
    "members account text",
    "history account member",
    "grant account member 5 --reason x",
    "expire",
    "verify account",
    "import account file --dry-run",
    "export account file",
    "erase account member",
    "merge account keep gone --undo",
    "key rotate account",
    "gift-card issue account name 100",
  ],
  cluster: ["list", "registers --holder process", "move register process", "drain process"],
  console: ["hash"],
  receipt: ["x.json -o y.pdf"],
  descriptor: [""],
  conformance: ["--base http://127.0.0.1:1"],
  migrate: [""],
  bench: [""],
  simulate: [""],
};

const CASES = ALL.flatMap(({ name }) => (FORMS[name] ?? []).map((form) => [name, ...form.split(" ").filter(Boolean)]));

async function run(args: string[]) {
  const said: { out: string[]; err: string[] } = { out: [], err: [] };
  // The signal is aborted, so that a command that begins in spite of a wrong argument ends at once.
  const io: CommandIo = { out: (text) => said.out.push(text), err: (text) => said.err.push(text), signal: AbortSignal.abort() };
  return { code: await runCommand(ALL, args, io), ...said };
}

async function told(args: string[]): Promise<string> {
  const { code, out, err } = await run(args);
  expect({ code, out, lines: err.map((text) => text.split("\n").length) }).toEqual({ code: 2, out: [], lines: [1] });
  return err.join("");
}

describe("every command", () => {
  it("is walked here", () => {
    expect(Object.keys(FORMS)).toEqual(ALL.map(({ name }) => name));
  });

  it.each(CASES)("tells its usage when it is asked for help, whatever else is said, and does nothing: %s %s %s", async (...words) => {
    const [name = ""] = words;
    for (const args of [
      [name, "--help"],
      [...words, "--help"],
      [...words, "--no-such", "--help"],
    ]) {
      const { code, out, err } = await run(args);
      expect({ code, err, lines: out.length }).toEqual({ code: 0, err: [], lines: 1 });
      expect(out[0]).toMatch(/^Usage: npm run /);
      expect(out[0]).toContain(` ${name}`);
    }
  });

  it.each(CASES)("names an option that it does not know, or whose value is missing or not wanted: %s %s %s", async (...words) => {
    expect(await told([...words, "--no-such"])).toContain("--no-such");
    expect(await told([...words, "--no-such=1"])).toContain("--no-such");
    expect(await told([...words, "-9"])).toContain("-9");
    const [name = ""] = words;
    const usage = (await run([name, "--help"])).out[0] ?? "";
    const listed = optionsIn(usage);
    expect(listed.length > 0).toBe(/ --(?!help)[a-z]/.test(usage));
    for (const [option, value] of listed) {
      if (value === undefined) expect(await told([...words, `${option}=1`])).toContain(option);
      else expect(await told([...words, option])).toContain(option);
    }
  });

  it.each(CASES)("names an argument that is too much: %s %s %s", async (...words) => {
    expect(await told([...words, "surplus"])).toContain('"surplus"');
  });
});

/** The options in the usage, each on a line of its own, with their values. */
function optionsIn(usage: string): (readonly [string, string | undefined])[] {
  return [...usage.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)(?: ([A-Z]\S*|58\S*))?/gm)]
    .map(([, option = "", value]) => [option, value] as const)
    .filter(([option]) => option !== "--help");
}

/** Options of one form of `journal` that the other forms do not have. */
const FOREIGN: [string, string][] = [
  ["journal list --yes", "--yes"],
  ["journal list --json", "--json"],
  ["journal show 1 --limit 5", "--limit"],
  ["journal show 1 --why x", "--why"],
  ["journal explain 1 --raw", "--raw"],
  ["journal settle 1 --refused --why x --yes", "--yes"],
  ["journal correct 1 --again", "--again"],
  ["journal report x account store --unconfirmed", "--unconfirmed"],
  ["agents list --replace", "--replace"],
  ["agents show name --lines 5", "--lines"],
  ["payments show 1 --reason x", "--reason"],
  ["payments refund 1 --reason x --state paid", "--state"],
  ["payments reconcile --day 2026-11-29", "--day"],
];

const WRONG: [string, RegExp][] = [
  ["journal", /^expected `journal list`/],
  ["journal shw 1", /not "shw"$/],
  ["journal show", /^journal show needs a KEY/],
  ["journal show 1 --json --raw", /^--json and --raw /],
  ["journal show a/b/c", /^"a\/b\/c" is no KEY/],
  ["journal list --account=", /^--account needs/],
  ["journal list --store=", /^--store needs/],
  ["journal list --state open", /"open"/],
  ["journal settle 1", /^settle needs either --done/],
  ["journal settle 1 --done --number x", /^--number: expected a whole number/],
  ["journal settle 1 --done --time yesterday", /^--time: expected/],
  ["journal settle 1 --done --sum x", /^--sum: expected/],
  ["journal settle 1 --done --identity=", /^--identity needs/],
  ["journal settle 1 --refused --why x --identity f", /^--identity tells/],
  ["journal correct 1 --right=", /^--right needs/],
  ["journal correct 1 --yes --out=", /^--out needs/],
  ["journal report z account store", /^there is no report "z"/],
  ["journal report constructor account store", /^there is no report "constructor"/],
  ["journal report x", /^expected `journal report x/],
  ["journal report x a/b/c store", /^"a\/b\/c" is no ACCOUNT/],
  ["settings", /^expected `settings list/],
  ["settings get account", /not "get"$/],
  ["settings set account", /^STORE is missing/],
  ["settings set account store register", /^expected KEY=VALUE, found "register"/],
  ["emulate atol", /not "atol"/],
  ["receipt -o x.pdf", /^one file/],
  ["receipt x.json", /^-o OUT.pdf is missing/],
  ["receipt x.json -o ", /^-o needs a file/],
  ["doctor --zone Asia/Omsk", /^--zone goes with the address/],
  ["payments", /^expected one of payments list/],
  ["payments shw 1", /not "shw"$/],
  ["payments show", /^show needs the ID/],
  ["payments list --state odd", /^--state is one of .*, not "odd"$/],
  ["payments list --day 2026-02-31", /^--day is a day/],
  ["payments list --account=", /^--account needs/],
  ["payments refund 1", /^--reason TEXT is missing/],
  ["payments refund 1 0 --reason x", /^KOPECKS is a whole number from 1/],
  ["payments refund 1 1.5 --reason x", /^KOPECKS is a whole number from 1/],
  ["payments settle 1 --reason x", /^settle needs paid or not-paid/],
  ["payments settle 1 maybe --reason x", /not "maybe"$/],
  ["payments settle 1 paid", /^--reason TEXT is missing/],
  ["conformance", /^conformance needs --base/],
  ["conformance --base http://127.0.0.1:9 --issuer x", /^--issuer is about QR tokens/],
  ["conformance --base http://127.0.0.1:9 --paying none", /^--paying is about QR tokens/],
  ["sandbox --app a:b:c", /^--app goes with --solution/],
  ["bench --only nothing", /^--only "nothing": no row begins so/],
  ["bench --json /no/such/folder/x", /^--json \/no\/such\/folder\/x cannot be written/],
  ["simulate --seeds 0", /^--seeds takes a whole number from 1, not "0"/],
  ["simulate --seeds -1", /^--seeds takes a whole number from 1, not "-1"/],
  ["simulate --processes many", /^--processes takes/],
  ["simulate --world paper", /^--world is emulator or shtrih-m, not "paper"/],
  ["simulate --without luck", /^--without is one of .*, not "luck"/],
  ["simulate --after", /^--after is about the await of --at/],
];

describe("a command", () => {
  it.each(FOREIGN)("refuses the option of another form of it: %s", async (line, option) => {
    expect(await told(line.split(" "))).toMatch(new RegExp(`^(agents|journal|payments) \\w+ has no option ${option}: `));
  });

  it.each(WRONG)("says in one line what is wrong, before it opens anything: %s", async (line, words) => {
    expect(await told(line.split(" "))).toMatch(words);
  });
});
