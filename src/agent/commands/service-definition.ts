import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

export const SERVICE = "fiscal-agent";
export const PROGRAM = fileURLToPath(new URL("../../agent.ts", import.meta.url));
/** How long the process may take to stop. After that the service manager kills it. A document may take minutes on a slow register. */
const STOP_SECONDS = 180;

interface Service {
  command: readonly string[];
  user?: string;
  environment: Record<string, string>;
}

/** `environmentFile`: a file with more variables (`environmentText`). Other users may read the unit and ask systemd for its variables. */
export function systemdUnit({ command, user, environment }: Service, environmentFile?: string): string {
  const variables = Object.entries(environment).map(([name, value]) => `Environment=${unitWord(`${name}=${value}`)}\n`);
  if (environmentFile !== undefined) variables.push(`EnvironmentFile=${environmentFile}\n`);
  return `[Unit]
Description=Shop agent of the fiscalization server
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=${command.map(commandWord).join(" ")}
WorkingDirectory=${dirname(dirname(PROGRAM))}
${variables.join("")}${user === undefined ? "" : `User=${user}\n`}# Serial ports belong to this group.
SupplementaryGroups=dialout
Restart=always
RestartSec=5
KillSignal=SIGTERM
TimeoutStopSec=${STOP_SECONDS}
NoNewPrivileges=true

[Install]
WantedBy=multi-user.target
`;
}

/** Returns the content of an environment file of systemd. Only quotes, backslashes, dollars and backticks are special in it. */
export function environmentText(environment: Record<string, string>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}="${value.replace(/[\\"$`]/g, "\\$&")}"\n`)
    .join("");
}

/** Quotes a word of a command. The character $ is special only in commands, not in variables. */
function commandWord(word: string): string {
  return unitWord(word).replace(/\$/g, "$$$$");
}

/** Quotes a word of a systemd unit file. The character % is special in the whole file. */
function unitWord(word: string): string {
  return `"${word.replace(/[\\"]/g, "\\$&").replace(/%/g, "%%")}"`;
}

export function windowsService({ command, user, environment }: Service): string {
  const [program = "", ...args] = command;
  const variables = Object.entries(environment).map(([name, value]) => `  <env name="${xml(name)}" value="${xml(value)}"/>\n`);
  return `<service>
  <id>${SERVICE}</id>
  <name>Shop agent of the fiscalization server</name>
  <description>Drives the fiscal registers of this shop for a distant server.</description>
  <executable>${xml(program)}</executable>
  <arguments>${xml(args.map(windowsWord).join(" "))}</arguments>
  <workingdirectory>${xml(dirname(dirname(PROGRAM)))}</workingdirectory>
${variables.join("")}${user === undefined ? "" : `  <serviceaccount><username>${xml(user)}</username><prompt>dialog</prompt></serviceaccount>\n`}  <startmode>Automatic</startmode>
  <onfailure action="restart" delay="5 sec"/>
  <stoptimeout>${STOP_SECONDS} sec</stoptimeout>
  <log mode="roll-by-size"/>
</service>
`;
}

/** Quotes an argument of a Windows program. Backslashes in front of a quote, also of the last quote, are doubled. */
function windowsWord(word: string): string {
  return `"${word.replace(/(?<!\\)(\\*)"/g, '$1$1\\"').replace(/(?<!\\)\\+$/, "$&$&")}"`;
}

function xml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
