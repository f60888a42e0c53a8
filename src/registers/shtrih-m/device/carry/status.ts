import { decodeAnswer } from "../../commands/commands.ts";
import { ERROR, errorText } from "../machine/errors.ts";
import { type Machine, modeOf, now, throughNumber } from "../machine/machine.ts";
import { deviceTotals, moneyRegister, operationalRegister } from "../machine/registers.ts";
import type { Handlers } from "./handler.ts";

/** Handlers of state, identification and registers (shtrih-protocol 5.1, 5.4). */
export const STATUS_HANDLERS: Handlers = {
  shortStatus(machine, _values, operator) {
    const { printer, personality } = machine;
    const mode = modeOf(machine);
    const operations = machine.receipt?.itemCount ?? machine.printed?.operations ?? 0;
    const desktop = personality.status === "desktop";
    return {
      operator,
      flags: flagsOf(machine),
      mode,
      submode: printer.submode,
      operationsLow: operations & 0xff,
      operationsHigh: operations >> 8,
      battery: personality.battery,
      power: personality.power,
      memoryError: 0,
      journalError: 0,
      reserved: desktop ? Buffer.of(0, mode & 0x0f, lastPrintOf(machine)) : Buffer.of(0xff, 0xff, 0xff),
      ...(desktop ? {} : { lastPrint: lastPrintOf(machine) }),
    };
  },

  longStatus(machine, _values, operator) {
    const { firmware, longStatusExtension } = machine.personality;
    const { identity, shift } = machine.device.look().memory;
    const [date = "", time = ""] = now(machine).split(" ");
    const serial = BigInt(identity.serialNumber);
    return {
      operator,
      firmwareVersion: firmware.version,
      firmwareBuild: firmware.build,
      firmwareDate: firmware.date,
      hall: 1,
      documentNumber: throughNumber(machine) % 0x1_0000,
      flags: flagsOf(machine),
      mode: modeOf(machine),
      submode: machine.printer.submode,
      port: machine.port,
      memoryVersion: "NA",
      memoryBuild: 0,
      memoryDate: "2016-01-01",
      date,
      time,
      memoryFlags: 0,
      serialNumber: Number(serial & 0xffff_ffffn),
      lastClosedShift: (shift.open ? shift.number - 1 : shift.number) % 0x1_0000,
      memoryFreeRecords: 0,
      registrationsDone: 1,
      registrationsLeft: 28,
      inn: Number(identity.inn),
      ...(longStatusExtension === 0 ? {} : { extension: highPart(serial) }),
    };
  },

  deviceType({ personality }) {
    const { protocol, model, modelName } = personality;
    return {
      type: 0,
      subtype: 0,
      protocolVersion: protocol.version,
      protocolSubversion: protocol.subversion,
      model,
      language: 0,
      name: modelName,
    };
  },

  modelParameters({ personality }, { kind }) {
    if (kind !== 1) return ERROR.badParameters;
    const answer = decodeAnswer("modelParameters", Buffer.from(`F700${personality.parameters}`, "hex"));
    return answer.kind === "ok" ? answer.values : ERROR.notSupported;
  },

  errorText({ lastError }, { error }) {
    return { text: errorText(error ?? lastError) };
  },

  /** Answers with the totals since the first registration. `ShtrihFront` handles a reboot, which has no answer. */
  service(machine, { operation, argument }) {
    if (operation !== TOTALS) return ERROR.notSupported;
    const data = deviceTotals(machine, argument);
    return data === undefined ? ERROR.badParameters : { data };
  },

  moneyRegister(machine, { register }, operator) {
    const value = moneyRegister(machine, register);
    return value === undefined ? ERROR.badParameters : { operator, value };
  },

  operationalRegister(machine, { register }, operator) {
    return { operator, value: operationalRegister(machine, register) % 0x1_0000 };
  },
};

/** Operations of FEh: the reboot, and reading the totals that no command resets (shtrih-protocol 5.1). */
export const REBOOT = 0xf3;
const TOTALS = 0xf4;

/** Without paper only bit 4 is set: the position of the decimal point (shtrih-protocol 14.1). */
const FLAGS_WITHOUT_PAPER = 0x0010;

function flagsOf({ printer, personality }: Machine): number {
  return printer.hasPaper ? personality.idleFlags : FLAGS_WITHOUT_PAPER;
}

/** Returns the result of the last print: 0 printed, 1 no paper or waiting for B0h, 5 printing (shtrih-protocol 5.1). */
function lastPrintOf({ printer }: Machine): number {
  if (!printer.hasPaper) return 1;
  return printer.submode === 5 ? 5 : printer.submode === 3 ? 1 : 0;
}

function highPart(serial: bigint): Buffer {
  const high = Buffer.alloc(2);
  high.writeUInt16LE(Number((serial >> 32n) & 0xffffn), 0);
  return high;
}
