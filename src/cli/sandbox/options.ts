import { withoutSlashes } from "../../kernel/text-end.ts";
import type { Login } from "../../tools/sandbox/account/users.ts";
import { FAULT_NAMES, type Fault } from "../../tools/sandbox/api/faults.ts";
import { PLATFORM_NAMES, type ProfileName } from "../../tools/sandbox/caller/names.ts";
import type { SandboxOptions } from "../../tools/sandbox/sandbox.ts";
import { readSetting } from "../../tools/sandbox/setting-choices.ts";
import { DEFAULT_SETTINGS, type SandboxSettings } from "../../tools/sandbox/settings.ts";
import type { StatedSolution } from "../../tools/sandbox/solution/open.ts";
import { readArguments } from "../arguments.ts";
import { UsageError } from "../command.ts";
import { given, oneOf, wholeNumber } from "../option-values.ts";

/** What the command line says of a sandbox. */
export type StatedOptions = Omit<SandboxOptions, "clock" | "chance" | "log">;

const MAX_PORT = 65_535;
/** A million products take more memory than a process has. */
const MAX_PRODUCTS = 500_000;
const MAX_SEED = Number.MAX_SAFE_INTEGER;
const PLANS: readonly SandboxSettings["plan"][] = ["paid", "free"];

/** Reads the command line; a `UsageError` is one line that names the option which is wrong. */
export function readSandboxOptions(args: string[]): StatedOptions {
  const { values } = parse(args);
  const administrator = values.admin === undefined ? undefined : login("--admin", values.admin, true);
  return {
    port: wholeNumber("--port", values.port ?? "0", 0, MAX_PORT),
    data: values.data === undefined ? undefined : given("--data", values.data, "a folder"),
    products: values.products === undefined ? undefined : wholeNumber("--products", values.products, 0, MAX_PRODUCTS),
    seed: values.seed === undefined ? undefined : wholeNumber("--seed", values.seed, 0, MAX_SEED),
    administrator,
    employees: employees(values.employee ?? [], administrator),
    token: values.token === undefined ? undefined : token(values.token),
    profile: oneOf("--profile", values.profile ?? "canonical", Object.keys(PLATFORM_NAMES) as ProfileName[]),
    limited: values["no-limits"] !== true,
    faults: (values.fault ?? []).map(fault),
    publicUrl: values["public-url"] === undefined ? undefined : publicUrl(values["public-url"]),
    tls: values.tls === true,
    solution: values.solution === undefined ? undefined : solution(values.solution, values.app),
    settings: settings(values.set ?? [], oneOf("--plan", values.plan ?? "paid", PLANS)),
  };
}

function parse(args: string[]) {
  return readArguments({
    args,
    strict: true,
    allowPositionals: false,
    options: {
      port: { type: "string" },
      data: { type: "string" },
      products: { type: "string" },
      seed: { type: "string" },
      admin: { type: "string" },
      employee: { type: "string", multiple: true },
      token: { type: "string" },
      profile: { type: "string" },
      plan: { type: "string" },
      "no-limits": { type: "boolean" },
      set: { type: "string", multiple: true },
      fault: { type: "string", multiple: true },
      "public-url": { type: "string" },
      tls: { type: "boolean" },
      solution: { type: "string" },
      app: { type: "string" },
    },
  });
}

function employees(texts: readonly string[], administrator: Login | undefined): readonly Login[] {
  const read = texts.map((text) => login("--employee", text, false));
  const taken = [...(administrator === undefined ? [] : [administrator]), ...read].map((each) => each.login);
  const twice = taken.find((name, index) => taken.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`--employee: there are two logins ${twice}`);
  return read;
}

/** The password is whatever stands behind the first colon. */
function login(option: string, text: string, administrator: boolean): Login {
  const [, name, password] = /^([^:\s]+):(.+)$/s.exec(text) ?? [];
  if (name === undefined || password === undefined) throw new UsageError(`${option} is LOGIN:PASSWORD, not "${text}"`);
  return { login: name, password, administrator };
}

function token(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new UsageError("--token is a text without spaces, as a header takes it");
  return text;
}

/** The development set of interface 2. */
const DEVELOPMENT_APP = "00000000-0000-4000-8000-000000000001:fiscal-solution.dev:development-secret-not-for-production";

function solution(url: string, app: string = DEVELOPMENT_APP): StatedSolution {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol) || address.search !== "" || address.hash !== "") {
    throw new UsageError(`--solution is the address of a server like http://127.0.0.1:8080, not "${url}"`);
  }
  const [, appId, appUid, secretKey] = /^([^:]+):([^:]+):(.+)$/s.exec(app) ?? [];
  if (appId === undefined || appUid === undefined || secretKey === undefined) throw new UsageError(`--app is ID:UID:SECRET, not "${app}"`);
  return { target: `${address.origin}${withoutSlashes(address.pathname)}`, appId, appUid, secretKey };
}

function publicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === "";
  if (!plain) throw new UsageError(`--public-url is an address like https://api.example.org, not "${text}"`);
  return `${url.origin}${withoutSlashes(url.pathname)}`;
}

function fault(text: string): Fault {
  const [name = "", share = "1", ...rest] = text.split("=");
  const found = FAULT_NAMES.find((each) => each === name);
  if (found === undefined) throw new UsageError(`--fault is one of ${FAULT_NAMES.join(", ")}, not "${name}"`);
  const value = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(share) ? Number(share) : Number.NaN;
  if (rest.length > 0 || !(value >= 0 && value <= 1)) throw new UsageError(`--fault: the share of ${name} is from 0 to 1, not "${share}"`);
  return { name: found, share: value };
}

function settings(texts: readonly string[], plan: SandboxSettings["plan"]): SandboxSettings {
  const all: SandboxSettings = { ...DEFAULT_SETTINGS, plan };
  for (const text of texts) {
    const read = readSetting(text);
    if ("problem" in read) throw new UsageError(`--set: ${read.problem}`);
    Object.assign(all, read.setting);
  }
  return all;
}
