import { visibleLine } from "../../kernel/visible.ts";
import type { Examination, Finding } from "../../registers/examination-schema.ts";

/** Returns an examination's report for people: the register's values in sections, then the problems. */
export function reportLines(examination: Examination): string[] {
  return [
    examination.address,
    "",
    ...rows(identityRows(examination)),
    "",
    ...rows(driveRows(examination)),
    "",
    ...rows(stateRows(examination)),
    ...section("Tables", tableRows(examination)),
    ...section("Rates are sent as", rateRows(examination)),
    ...section("Line", lineRows(examination)),
    "",
    ...findingLines(examination.findings),
  ];
}

type Row = [name: string, value: string | undefined];

function identityRows({ identity }: Examination): Row[] {
  const { model, firmware, serialNumber, registrationNumber, inn, seller, address, place, ffd, taxSystems } = identity;
  return [
    ["Model", model],
    ["Firmware", firmware],
    ["Serial number", serialNumber],
    ["Registration", registrationNumber],
    ["INN", inn],
    ["Seller", seller],
    ["Address", address],
    ["Place", place],
    ["FFD", ffd],
    ["Tax systems", taxSystems.length === 0 ? undefined : taxSystems.join(", ")],
  ];
}

const PHASES = { ready: "not registered", fiscal: "in use", closed: "closed", unknown: undefined };
const KINDS = { debug: "for tests", live: "live", unknown: undefined };

function driveRows({ drive, queue }: Examination): Row[] {
  const { number, kind, phase, version, keysUntil, keyDaysLeft, registrationsLeft, documentsLeft, queueKilobytesLeft, lastDocument } =
    drive;
  return [
    ["Drive", joined(number, KINDS[kind], PHASES[phase], version)],
    ["Keys until", keysUntil === undefined ? undefined : `${keysUntil.slice(0, DAY)}, ${keyDaysLeft} days`],
    ["Registrations left", asText(registrationsLeft)],
    ["Room for", documentsLeft === undefined ? undefined : joined(`${documentsLeft} documents`, unsentRoom(queueKilobytesLeft))],
    ["Last document", lastDocument === undefined ? undefined : joined(`number ${lastDocument.number}`, lastDocument.time)],
    ["Warnings of the drive", drive.warnings.length === 0 ? undefined : drive.warnings.join(", ")],
    ["Queue to operator", queue === undefined ? undefined : queueWords(queue)],
  ];
}

const DAY = "2026-11-28".length;

function unsentRoom(kilobytes: number | undefined): string | undefined {
  return kilobytes === undefined ? undefined : `${kilobytes} KB of unsent ones`;
}

function queueWords({ unsent, firstDocument, since, ageDays, connected }: NonNullable<Examination["queue"]>): string {
  const oldest = since === undefined ? undefined : `the oldest${firstDocument === undefined ? "" : `, ${firstDocument},`} of ${since}`;
  const age = ageDays === undefined ? undefined : `${ageDays.toFixed(1)} days`;
  return joined(unsent === 0 ? "empty" : `${unsent} documents`, oldest, age, connected === true ? "connected now" : undefined) ?? "";
}

const MECHANISMS = {
  idle: undefined,
  printing: "printing",
  "waits-for-paper": "stopped in the middle of a document",
  "waits-to-continue": "waits to go on printing",
  unknown: undefined,
};

function stateRows({ clock, paper, shift, openDocument, mode }: Examination): Row[] {
  const age = shift.ageHours === undefined ? undefined : `${shift.ageHours.toFixed(1)} hours`;
  return [
    ["Mode", mode === undefined ? undefined : `${mode.number}, ${mode.words}`],
    [
      "Shift",
      joined(
        shift.number === undefined ? shift.state : `${shift.number} ${shift.state}`,
        shift.openedAt === undefined ? undefined : `since ${shift.openedAt}`,
        age,
        shift.receipts === undefined ? undefined : `${shift.receipts} receipts`,
      ),
    ],
    ["Open document", openDocument ?? "none"],
    ["Paper", joined(paper.roll, MECHANISMS[paper.mechanism], paper.cover === "unknown" ? undefined : `cover ${paper.cover}`)],
    [
      "Clock",
      clock === undefined ? undefined : `${clock.device}, the server's ${clock.ours} (${clock.zone}): ${aheadWords(clock.aheadSeconds)}`,
    ],
  ];
}

function aheadWords(seconds: number): string {
  if (seconds === 0) return "the same";
  return `${Math.abs(seconds)} s ${seconds > 0 ? "ahead" : "behind"}`;
}

function tableRows({ tables }: Examination): Row[] {
  return tables.map(({ place, what, name, value, words }) => [
    place,
    `${what}: ${value === "" ? "(empty)" : value}${words === undefined ? "" : `, ${words}`}${name === undefined ? "" : ` — ${name}`}`,
  ]);
}

function rateRows({ rates }: Examination): Row[] {
  return rates.map(({ label, sentAs }) => [label, sentAs ?? "not as it is set"]);
}

function lineRows({ line }: Examination): Row[] {
  if (line === undefined) return [];
  const { protocol, roundTripMs, slowestMs, slowestQuestion, questions, repeated, damaged, noise, reopened } = line;
  return [
    ["Protocol", protocol],
    ["Round trip", roundTripMs === undefined ? undefined : `${roundTripMs} ms, the slowest ${joined(`${slowestMs} ms`, slowestQuestion)}`],
    [
      "Questions",
      `${questions}: ${repeated} repeated, ${damaged} answers damaged, ${noise} times noise, connection lost ${reopened} times`,
    ],
  ];
}

const TITLES: Record<Finding["weight"], string> = {
  "stops-now": "STOPS NOW",
  "stops-soon": "STOPS SOON",
  "worth-knowing": "Worth knowing",
};

function findingLines(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return ["Nothing is wrong."];
  return findings.flatMap(({ weight, words, remedy }) => [`${TITLES[weight]}: ${words}`, `  ${remedy}`]);
}

function section(title: string, content: readonly Row[]): string[] {
  return content.length === 0 ? [] : ["", title, ...rows(content).map((line) => `  ${line}`)];
}

/** Returns lines with the names in one column and the values in the next. Leaves out unknown and empty values. */
function rows(content: readonly Row[]): string[] {
  const known = content.filter(([, value]) => value !== undefined && value !== "");
  const width = Math.max(0, ...known.map(([name]) => name.length));
  return known.map(([name, value]) => visibleLine(`${name.padEnd(width)}  ${value}`));
}

function joined(...parts: (string | undefined)[]): string | undefined {
  const known = parts.filter((part) => part !== undefined && part !== "");
  return known.length === 0 ? undefined : known.join(", ");
}

function asText(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
