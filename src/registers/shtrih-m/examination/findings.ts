import { VAT_RATES } from "../../../model/tax.ts";
import { findingThat } from "../../examination-findings.ts";
import type { Facts, Finding } from "../../examination-schema.ts";
import { MODES } from "../commands/values.ts";
import type { OtherRate } from "./rates.ts";
import type { ReadTables } from "./tables.ts";

interface Seen {
  facts: Facts;
  tables: ReadTables;
  otherRates: readonly OtherRate[];
  /** The mode number in the answer to 10h, without the kind of the open document. Undefined: the device has not answered. */
  mode?: number;
  /** Whether the device accepts the address's passwords. Undefined: unknown. */
  passwords: { operator?: boolean; system?: boolean };
  /** Questions that the driver needs and the device did not answer. */
  needed: readonly string[];
  print: "paper" | "none";
}

/** Returns the problems of the device's settings and modes. */
export function ownFindings(seen: Seen): Finding[] {
  return [...passwordFindings(seen), ...neededFindings(seen), ...modeFindings(seen), ...tableFindings(seen), ...rateFindings(seen)];
}

function passwordFindings({ passwords }: Seen): Finding[] {
  const wrong = (["operator", "system"] as const).filter((name) => passwords[name] === false);
  return wrong.map((name) => {
    const remedy = `Put the one of the register's table 2 into the address: ${name}Password=…`;
    return findingThat("stops-now", `password-${name}`, `The register refuses the ${WHOSE[name]} password (4Fh).`, remedy);
  });
}

const WHOSE = { operator: "operator's", system: "system administrator's" };

function neededFindings({ needed, facts, passwords }: Seen): Finding[] {
  const found: Finding[] = [];
  // With a wrong password the missing answers mean nothing. The wrong password itself is reported as a finding.
  if (needed.length > 0 && passwords.system !== false) {
    const words = `The register does not answer what the server has to know: ${needed.join(", ")}.`;
    found.push(findingThat("stops-now", "unanswered", words, "See to its drive and its program."));
  }
  const others = facts.unanswered.filter(({ question }) => !needed.includes(question));
  if (others.length > 0 && passwords.system !== false) {
    const words = `The register does not answer: ${others.map(({ question, why, code }) => `${question}, ${code ?? why}`).join("; ")}.`;
    found.push(
      findingThat(
        "worth-knowing",
        "unanswered",
        words,
        "Nothing, if its program is too old to know them (37h); else see what the register says.",
      ),
    );
  }
  return found;
}

const MODE_FINDINGS: Readonly<Record<number, [Finding["weight"], string, string]>> = {
  [MODES.dataOutput]: [
    "worth-knowing",
    "A document is being read from the drive.",
    "Nothing: the server ends that with its next operation.",
  ],
  [MODES.blocked]: ["stops-now", "The register is blocked by a wrong tax inspector's password.", "Have a technician unblock it."],
  [MODES.dateWaiting]: ["stops-now", "The register waits for its date to be confirmed (C0h).", "Confirm date and time at the register."],
  [MODES.resetAllowed]: [
    "stops-now",
    "The register has lost its memory and waits for a technical reset.",
    "Have a technician reset it, then set the clock.",
  ],
  [MODES.testRun]: ["stops-now", "The register runs its test print.", "End it at the register."],
  11: ["stops-now", "The register prints a full fiscal report.", "Wait for its end."],
};

function modeFindings({ mode }: Seen): Finding[] {
  const row = mode === undefined ? undefined : MODE_FINDINGS[mode];
  return row === undefined ? [] : [findingThat(row[0], "mode", row[1], row[2])];
}

/** T17F17: 2 is format 1.05. Earlier formats have been out of use since 2021. */
const OLDEST_FORMAT = 2;

function tableFindings({ tables, facts, print }: Seen): Finding[] {
  const found: Finding[] = [];
  const say = (weight: Finding["weight"], about: string, words: string, remedy: string) =>
    found.push(findingThat(weight, about, words, remedy));
  const number = (key: Parameters<ReadTables["get"]>[0]) => tables.get(key)?.number;
  const place = (key: Parameters<ReadTables["get"]>[0]) => tables.get(key)?.reported.place ?? "";

  const format = number("format");
  if (format !== undefined && format < OLDEST_FORMAT) {
    say(
      "stops-now",
      "format",
      `The register works by a format of documents before 1.05 (${place("format")}).`,
      "Have it registered for 1.2.",
    );
  }
  if (number("operator-exchange") === 0) {
    const words = `The register leaves sending to the data operator to a program (${place("operator-exchange")} is 0), and the server does not do it.`;
    say(
      "stops-soon",
      "operator-exchange",
      words,
      "Set it to 1; unless another program sends, documents wait, and after 30 days receipts stop.",
    );
  }
  if (tables.get("operator-server")?.reported.value === "") {
    const words = `The register has no address of a data operator (${place("operator-server")}).`;
    say("stops-soon", "operator-server", words, "Enter it with its port, as the operator names them.");
  }
  const discounts = number("discounts");
  if (discounts !== undefined && discounts !== ONLY_DISCOUNT_MODE) {
    const words = `The discount mode (${place("discounts")}) is ${discounts}: receipts may be counted otherwise than they are sent.`;
    say("stops-soon", "discounts", words, `Set it to ${ONLY_DISCOUNT_MODE}.`);
  }
  const taxMode = number("tax-mode");
  if (taxMode !== undefined && taxMode > 1) {
    say(
      "worth-knowing",
      "tax-mode",
      `The way of counting taxes (${place("tax-mode")}) is ${taxMode}, which is not documented.`,
      "Set it to 0: taxes of each position.",
    );
  }
  const printing = number("printing") ?? 0;
  if (printing !== 0 && print === "paper") {
    say(
      "worth-knowing",
      "printing-off",
      `The register is set to print ${facts.tables.find(({ place: at }) => at === place("printing"))?.words ?? "otherwise"} (${place("printing")} is ${printing}).`,
      "Nothing: the server sets it as print= of the address says.",
    );
  }
  if (number("early-expiry") !== undefined && number("early-expiry") !== 0) {
    const words = `The register ends a shift ${number("early-expiry")} minutes before 24 hours (${place("early-expiry")}).`;
    say("worth-knowing", "early-expiry", words, "Close shifts by then, or set it to 0.");
  }
  return found;
}

/** T17F3: 2 "is the only correct mode since FFD 1.0" (shtrih-protocol 6). */
const ONLY_DISCOUNT_MODE = 2;

function rateFindings({ facts, tables, otherRates }: Seen): Finding[] {
  const found: Finding[] = otherRates.map(({ row, code, percent }) => {
    const words = `Row ${row} of the tax table holds ${percent} % where ${VAT_RATES[code].label} belongs: taxes would be wrong.`;
    return findingThat("stops-soon", "tax-row", words, "Put the rate right at the register, or have its program renewed.");
  });
  const unsent = facts.rates.filter(({ sentAs }) => sentAs === undefined).map(({ label }) => label);
  const vat20 = tables.get("vat20");
  // A company outside the general taxation system rarely needs these rates, so its finding is less severe.
  const weight = facts.identity.taxSystems.includes("osn") ? "stops-soon" : "worth-knowing";
  if (unsent.length > 0 && vat20 === undefined) {
    const words = `The register cannot register ${unsent.join(", ")}: receipts with these rates are refused.`;
    found.push(findingThat(weight, "rates", words, "Have its program renewed."));
  } else if (unsent.length > 0) {
    const words = `As ${vat20?.reported.place} is set, ${unsent.join(", ")} would not be registered as such.`;
    found.push(
      findingThat(
        "worth-knowing",
        "rates",
        words,
        "Nothing: the server sets it for a receipt that needs these rates, and refuses what no setting suits.",
      ),
    );
  }
  return found;
}
