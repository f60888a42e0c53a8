import { ERROR } from "../machine/errors.ts";
import type { Machine } from "../machine/machine.ts";
import type { Handlers } from "./handler.ts";

/**
 * Handlers of plain printing, cash drawer, port and resets (shtrih-protocol 5.2). Single lines take no time; only documents keep the
 * printer busy.
 */
export const PRINT_HANDLERS: Handlers = {
  beep: (_machine, _values, operator) => ({ operator }),
  openDrawer: (_machine, _values, operator) => ({ operator }),
  cut: (_machine, _values, operator) => ({ operator }),
  feed: (_machine, _values, operator) => ({ operator }),
  printHeader: (_machine, _values, operator) => ({ operator }),
  endDocument: (_machine, _values, operator) => ({ operator }),
  printLine: (machine, { text }, operator) => printText(machine, text, operator),
  printBold: (machine, { text }, operator) => printText(machine, text, operator),
  printFont: (machine, { text }, operator) => printText(machine, text, operator),

  font: (_machine, { font }) =>
    font === 0 || font > FONTS
      ? ERROR.badParameters
      : { lineWidth: LINE_DOTS, characterWidth: CHARACTER_DOTS, characterHeight: 24, fonts: FONTS },

  /** With paper, B0h succeeds even when no document waits for it, so that a repeat is safe (shtrih-protocol 12.3). */
  continuePrinting({ printer, printMs }, _values, operator) {
    if (printer.submode === 1 || printer.submode === 2) return ERROR.noPaper;
    printer.resume(printMs);
    return { operator };
  },

  repeatDocument(machine, _values, operator) {
    const slip = machine.lastSlip;
    if (slip === undefined || slip.repeated) return ERROR.nothingToRepeat;
    machine.lastSlip = { ...slip, repeated: true };
    machine.paper(["КОПИЯ", ...slip.lines]);
    machine.printer.print(machine.printMs);
    return { operator };
  },

  /** A virtual port has no speed. The answer says 115200 with a timeout of 100 ms. */
  getPort: () => ({ baud: BAUD_115200, timeout: BYTE_GAP_MS }),
  setPort: () => ({}),

  interruptOutput(machine, _values, operator) {
    machine.output = undefined;
    return { operator };
  },

  technicalReset: () => ERROR.wrongMode,
  stopTest: () => ERROR.wrongMode,
};

const FONTS = 7;
const LINE_DOTS = 512;
const CHARACTER_DOTS = 12;
const BAUD_115200 = 6;
const BYTE_GAP_MS = 100;

/** Prints a text, or adds it to the open receipt (shtrih-protocol 5.2). */
function printText(machine: Machine, text: string, operator: number): { operator: number } {
  if (machine.receipt === undefined) machine.paper([text]);
  else machine.receipt.addText(text);
  return { operator };
}
