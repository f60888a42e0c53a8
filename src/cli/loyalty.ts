import type { Installations } from "../accounts/installations.ts";
import { MAX_POINTS } from "../loyalty/programme/bounds.ts";
import type { LoyaltyDesk } from "../operator/loyalty/services.ts";
import { installationNamed } from "./account.ts";
import { readArguments } from "./arguments.ts";
import { type Command, type CommandIo, UsageError, withTools } from "./command.ts";
import { expire, exportFile, giftCard, importFile, verify } from "./loyalty/books.ts";
import { type Called, erase, grant, history, listPeople, merge } from "./loyalty/people.ts";
import { changeProgramme, showProgramme, tryReceipts } from "./loyalty/programme.ts";
import { tellLoyalty } from "./loyalty/telling.ts";
import { atMost, wholeNumber } from "./option-values.ts";

const USAGE = `Usage: npm run cli -- loyalty programme show ACCOUNT [--json]
       npm run cli -- loyalty programme set ACCOUNT FILE [--json]
       npm run cli -- loyalty try ACCOUNT RECEIPT [--against FILE] [--json]
       npm run cli -- loyalty members ACCOUNT [TEXT] [--json]
       npm run cli -- loyalty history ACCOUNT MEMBER [--json]
       npm run cli -- loyalty grant ACCOUNT MEMBER POINTS --reason TEXT [--json]
       npm run cli -- loyalty expire [--json]
       npm run cli -- loyalty verify [ACCOUNT] [--json]
       npm run cli -- loyalty import ACCOUNT FILE [--dry-run] [--json]
       npm run cli -- loyalty export ACCOUNT FILE [--json]
       npm run cli -- loyalty erase ACCOUNT MEMBER [--json]
       npm run cli -- loyalty merge ACCOUNT KEEP GONE [--undo] [--json]
       npm run cli -- loyalty key rotate ACCOUNT [--json]
       npm run cli -- loyalty gift-card issue ACCOUNT NAME KOPECKS [--json]

The loyalty programme of an account, its members and the ledger of their points. The server may run meanwhile.

  ACCOUNT    id of the account; appId/accountId where the account uses several solutions
  MEMBER     the server's id, the platform's id, a phone in any spelling, or a card; a merged member leads to the one that was kept
  programme  shows the programme in force with every default, or sets the next version from a file
  try        the sum of a receipt and the rules that made it; RECEIPT is a file with one body of recalc, or with one in each
             line; nothing is stored. --against: which receipts would differ by the programme of another file, and the sums
  members    names and phones are masked, but for --json; TEXT is a phone, a card, an e-mail address or a part of a name
  grant      puts POINTS in; negative ones are deducted, never below zero
  expire     writes what is due now, as the server does every ten minutes
  verify     counts every ledger anew. Exit code 1: a row differs; it is named
  import     members and opening balances, JSON lines; a row whose key is known changes nothing; --dry-run only looks
  export     members with their whole ledgers as JSON lines; as a table of entries where FILE ends in .csv
  erase      empties everything that tells who a member is; the ledger stays
  merge      moves lots, debt and aliases of GONE to KEEP; --undo moves back what is left, within 30 days (GONE is the server's id then)
  key        gives the platform a new key; the old key is valid for ten more minutes

  --reason TEXT  why: it stays in the ledger
  --json         for programs
`;

export interface LoyaltyTools extends LoyaltyDesk {
  installations: Pick<Installations, "list">;
  close(): Promise<void>;
}

/** The longest reason: one line of the ledger. */
const MAX_REASON = 500;
const MAX_KOPECKS = 100_000_000_000;

/** `open` opens the database that the configuration names. */
export function loyaltyCommand(open: () => Promise<LoyaltyTools>): Command {
  return {
    name: "loyalty",
    summary: "set and try a loyalty programme, look after members, count the ledger anew",
    usage: USAGE,
    async run(args, io) {
      const work = workOf(args);
      return withTools(open, (tools) => work(tools, io));
    },
  };
}

type Work = (tools: LoyaltyTools, io: CommandIo) => Promise<number>;

/**
 * The arguments of each action. `words`: required after its name. `more`: one optional further word. `own`: its options besides `--json`.
 */
const FORMS = {
  "programme show": { words: ["ACCOUNT"], own: [] },
  "programme set": { words: ["ACCOUNT", "FILE"], own: [] },
  try: { words: ["ACCOUNT", "RECEIPT"], own: ["against"] },
  members: { words: ["ACCOUNT"], more: "TEXT", own: [] },
  history: { words: ["ACCOUNT", "MEMBER"], own: [] },
  grant: { words: ["ACCOUNT", "MEMBER", "POINTS"], own: ["reason"] },
  expire: { words: [], own: [] },
  verify: { words: [], more: "ACCOUNT", own: [] },
  import: { words: ["ACCOUNT", "FILE"], own: ["dry-run"] },
  export: { words: ["ACCOUNT", "FILE"], own: [] },
  erase: { words: ["ACCOUNT", "MEMBER"], own: [] },
  merge: { words: ["ACCOUNT", "KEEP", "GONE"], own: ["undo"] },
  "key rotate": { words: ["ACCOUNT"], own: [] },
  "gift-card issue": { words: ["ACCOUNT", "NAME", "KOPECKS"], own: [] },
} as const satisfies Record<string, { words: readonly string[]; more?: string; own: readonly string[] }>;

type Action = keyof typeof FORMS;

function workOf(args: string[]): Work {
  const { values, positionals } = parsed(args);
  const { action, words } = actionIn(positionals);
  checkForm(action, words, values);
  const { json } = values;
  const [account = "", second = "", third = ""] = words;
  switch (action) {
    case "expire":
      return (tools, io) => expire(tools, json, io);
    case "verify":
      return async (tools, io) => {
        const key = account === "" ? undefined : await installationNamed(tools.installations, account);
        return verify(tools, key, json, io);
      };
    case "grant": {
      const order = { points: pointsIn(third), reason: reasonIn(values) };
      return onAccount(account, json, (called) => grant(called, second, order));
    }
    case "gift-card issue": {
      const kopecks = wholeNumber("KOPECKS", third, 1, MAX_KOPECKS);
      return onAccount(account, json, (called) => giftCard(called, second, kopecks));
    }
    default:
      return onAccount(account, json, simpleWork(action, { second, third, values }));
  }
}

type SimpleAction = Exclude<Action, "expire" | "verify" | "grant" | "gift-card issue">;

function simpleWork(
  action: SimpleAction,
  { second, third, values }: { second: string; third: string; values: Options },
): (called: Called) => Promise<number> {
  switch (action) {
    case "programme show":
      return showProgramme;
    case "programme set":
      return (called) => changeProgramme(called, second);
    case "try":
      return (called) => tryReceipts(called, second, values.against);
    case "members":
      return (called) => listPeople(called, second === "" ? undefined : second);
    case "history":
      return (called) => history(called, second);
    case "import":
      return (called) => importFile(called, second, values["dry-run"]);
    case "export":
      return (called) => exportFile(called, second);
    case "erase":
      return (called) => erase(called, second);
    case "merge":
      return (called) => merge(called, { keep: second, gone: third, undo: values.undo });
    case "key rotate":
      return rotateKey;
  }
}

/**
 * Sends a new access key to the platform. Exit code 1: the platform has not confirmed the key, or no key was made. No key is made when the
 * account does not use loyalty, when the address for tills is unknown, or while a running server is telling the platform.
 */
async function rotateKey({ desk, key, json, io }: Called): Promise<number> {
  if (!json) return tellLoyalty(desk.connections, key, io, true);
  const told = await desk.connections.tell(key, true);
  io.out(JSON.stringify({ outcome: told.kind, ...(told.kind === "failed" ? { said: told.said } : {}) }, undefined, 2));
  return told.kind === "connected" ? 0 : 1;
}

function onAccount(account: string, json: boolean, work: (called: Called) => Promise<number>): Work {
  return async (tools, io) => {
    const { appId, accountId } = await installationNamed(tools.installations, account);
    return work({ desk: tools, key: { appId, accountId }, json, io });
  };
}

const ACTIONS = Object.keys(FORMS) as Action[];

function actionIn([first, second, ...rest]: readonly string[]): { action: Action; words: string[] } {
  const pair = ACTIONS.find((action) => action === `${first} ${second}`);
  if (pair !== undefined) return { action: pair, words: rest };
  const single = ACTIONS.find((action) => action === first);
  if (single !== undefined) return { action: single, words: [...(second === undefined ? [] : [second]), ...rest] };
  const found = first === undefined ? "" : `, not "${[first, second].filter(Boolean).join(" ")}"`;
  throw new UsageError(`expected one of ${ACTIONS.map((name) => `loyalty ${name}`).join(", ")}${found}`);
}

function checkForm(action: Action, words: readonly string[], values: Options): void {
  const form: { words: readonly string[]; more?: string; own: readonly string[] } = FORMS[action];
  const whole = [...form.words, ...(form.more === undefined ? [] : [`[${form.more}]`])];
  const shape = `\`loyalty ${[action, ...whole].join(" ")}\``;
  const missing = form.words.find((_, index) => (words[index] ?? "") === "");
  if (missing !== undefined) throw new UsageError(`${missing} is missing: expected ${shape}`);
  atMost(words, whole.length, shape);
  const own = [...form.own, "json"];
  const foreign = Object.entries(values).find(([name, value]) => value !== undefined && value !== false && !own.includes(name))?.[0];
  if (foreign === undefined) return;
  throw new UsageError(`loyalty ${action} has no option --${foreign}: it knows ${own.map((name) => `--${name}`).join(", ")}`);
}

function pointsIn(text: string): number {
  const points = /^-?\d{1,10}$/.test(text) ? Number(text) : 0;
  if (points !== 0 && Math.abs(points) <= MAX_POINTS) return points;
  throw new UsageError(`POINTS is a whole number other than 0, ${MAX_POINTS} at most, not "${text}"`);
}

function reasonIn({ reason }: Options): string {
  const text = reason?.trim() ?? "";
  if (text === "") throw new UsageError("--reason TEXT is missing: why the points are granted or deducted");
  if (text.length > MAX_REASON) throw new UsageError(`--reason has ${MAX_REASON} characters at most`);
  return text;
}

type Options = ReturnType<typeof parsed>["values"];

const TEXT = { type: "string" } as const;
const FLAG = { type: "boolean", default: false } as const;

function parsed(args: string[]) {
  const options = { against: TEXT, reason: TEXT, "dry-run": FLAG, undo: FLAG, json: FLAG };
  return readArguments({ args: withNegativePoints(args), allowPositionals: true, options });
}

/**
 * Moves a negative number to the end, after `--`: `parseArgs` would take it for an option. The order of the words stays right, because
 * POINTS is the last word of `grant ACCOUNT MEMBER -50`.
 */
function withNegativePoints(args: readonly string[]): string[] {
  const at = args.findIndex((arg, index) => /^-\d/.test(arg) && !["--reason", "--against"].includes(args[index - 1] ?? ""));
  if (at === -1 || args.includes("--")) return [...args];
  return [...args.slice(0, at), ...args.slice(at + 1), "--", ...args.slice(at, at + 1)];
}
