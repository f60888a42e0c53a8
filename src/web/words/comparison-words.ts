import type { Comparison } from "../../operator/explaining/comparison.ts";
import { dayAndHour, roubles } from "../amounts.ts";
import { html, type Markup } from "../html.ts";
import type { Say } from "../language.ts";

/** Draws what to look for on the register's paper or in its archive. */
export function comparisonItems(say: Say, { driveNumber, lastNumber, drawer, shiftNumber, time }: Comparison): Markup {
  const until = time.until === undefined ? "" : say(` до ${dayAndHour(time.until)}`, ` to ${dayAndHour(time.until)}`);
  const drawn =
    drawer === undefined
      ? undefined
      : say(
          `в ящике было ${roubles(drawer.beforeKopecks)}, после документа должно быть ${roubles(drawer.afterKopecks)}`,
          `the drawer held ${roubles(drawer.beforeKopecks)}, after the document ${roubles(drawer.afterKopecks)}`,
        );
  const number = lastNumber === undefined ? undefined : say(`номер ФД больше ${lastNumber}`, `document number above ${lastNumber}`);
  const items = [
    say(`накопитель ${driveNumber}, смена ${shiftNumber} или позже`, `drive ${driveNumber}, shift ${shiftNumber} or later`),
    number,
    say(`время кассы с ${dayAndHour(time.from)}${until}`, `register's time from ${dayAndHour(time.from)}${until}`),
    drawn,
  ];
  return html`<ul>${items.filter((item) => item !== undefined).map((item) => html`<li>${item}</li>`)}</ul>`;
}
