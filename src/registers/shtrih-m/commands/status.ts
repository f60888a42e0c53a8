import { ascii, date, fixedText, optional, padding, raw, registerNumber, rest, text, time, u8, u16, u32, u48, u64 } from "./fields.ts";
import { row } from "./table.ts";

const password = u32;
const operator = u8;

/** Time limits of answers, ms (shtrih-protocol 3.3). The first is for answers from the device's memory. */
const READ_MS = 5_000;
const PRINT_MS = 15_000;
const RESET_MS = 60_000;

const read = { allowedMs: READ_MS, repeat: "safe" } as const;
const print = { allowedMs: PRINT_MS, clause: "5.2" } as const;

/** Commands of state, identification, error texts, tables, registers, clock and plain printing (shtrih-protocol 4.3, 5.1 to 5.5). */
export const STATUS_COMMANDS = {
  shortStatus: row(
    0x10,
    "short status",
    { password },
    {
      operator,
      flags: u16,
      mode: u8,
      submode: u8,
      operationsLow: u8,
      battery: u8,
      power: u8,
      memoryError: u8,
      journalError: u8,
      operationsHigh: u8,
      reserved: raw(3),
      lastPrint: optional(u8),
    },
    { ...read, clause: "5.1" },
  ),
  longStatus: row(
    0x11,
    "long status",
    { password },
    {
      operator,
      firmwareVersion: ascii(2),
      firmwareBuild: u16,
      firmwareDate: date,
      hall: u8,
      documentNumber: u16,
      flags: u16,
      mode: u8,
      submode: u8,
      port: u8,
      memoryVersion: ascii(2),
      memoryBuild: u16,
      memoryDate: date,
      date,
      time,
      memoryFlags: u8,
      serialNumber: u32,
      lastClosedShift: u16,
      memoryFreeRecords: u16,
      registrationsDone: u8,
      registrationsLeft: u8,
      inn: u48,
      extension: optional(rest),
    },
    { ...read, clause: "5.1" },
  ),
  deviceType: row(
    0xfc,
    "device type",
    {},
    { type: u8, subtype: u8, protocolVersion: u8, protocolSubversion: u8, model: u8, language: u8, name: text, padding },
    { ...read, clause: "5.1" },
  ),
  modelParameters: row(
    0xf7,
    "model parameters",
    { kind: u8 },
    {
      bits: u64,
      font1Width: u8,
      font2Width: u8,
      firstGraphicsLine: u8,
      innDigits: u8,
      registrationDigits: u8,
      longRegistrationDigits: u8,
      longSerialDigits: u8,
      taxPassword: u32,
      systemPassword: u32,
      bluetoothTable: u8,
      taxModeField: u8,
      maxCommandBytes: u16,
      lineBytes: u8,
      graphics512Width: optional(u8),
      graphics512Lines: optional(u16),
      driveTable: optional(u8),
      operatorTable: optional(u8),
      embeddedTable: optional(u8),
      formatTable: optional(u8),
      formatField: optional(u8),
    },
    { ...read, clause: "5.1" },
  ),
  errorText: row(0x6b, "error text", { error: optional(u8) }, { text, padding }, { ...read, clause: "4.3" }),
  service: row(0xfe, "service", { operation: u8, argument: u8, reserved: raw(3) }, { data: rest }, { allowedMs: READ_MS, clause: "5.1" }),

  beep: row(0x13, "beep", { password }, { operator }, print),
  printBold: row(0x12, "print bold line", { password, flags: u8, text, padding }, { operator }, print),
  printLine: row(0x17, "print line", { password, flags: u8, text, padding }, { operator }, print),
  printFont: row(0x2f, "print line with font", { password, flags: u8, font: u8, text, padding }, { operator }, print),
  cut: row(0x25, "cut", { password, partial: u8 }, { operator }, print),
  openDrawer: row(0x28, "open drawer", { password, drawer: u8 }, { operator }, print),
  feed: row(0x29, "feed", { password, flags: u8, lines: u8 }, { operator }, print),
  continuePrinting: row(0xb0, "continue printing", { password }, { operator }, { allowedMs: 30_000, clause: "5.2", repeat: "safe" }),
  stopTest: row(0x2b, "stop test run", { password }, { operator }, print),
  printHeader: row(0x52, "print header", { password }, { operator }, print),
  endDocument: row(0x53, "end document", { password, parameter: u8 }, { operator }, print),
  repeatDocument: row(0x8c, "repeat last document", { password }, { operator }, print),
  font: row(
    0x26,
    "font",
    { password, font: u8 },
    { lineWidth: u16, characterWidth: u8, characterHeight: u8, fonts: u8 },
    { ...read, clause: "5.2" },
  ),
  setPort: row(0x14, "set port", { password, port: u8, baud: u8, timeout: u8 }, {}, { ...read, clause: "5.2" }),
  getPort: row(0x15, "get port", { password, port: u8 }, { baud: u8, timeout: u8 }, { ...read, clause: "5.2" }),
  technicalReset: row(0x16, "technical reset", {}, {}, { allowedMs: RESET_MS, clause: "5.2" }),
  interruptOutput: row(0x03, "interrupt data output", { password }, { operator: optional(operator) }, { ...read, clause: "5.2" }),

  setTime: row(0x21, "set time", { password, time }, {}, { ...read, clause: "5.3" }),
  setDate: row(0x22, "set date", { password, date }, {}, { ...read, clause: "5.3" }),
  confirmDate: row(0x23, "confirm date", { password, date }, {}, { ...read, clause: "5.3" }),

  moneyRegister: row(0x1a, "money register", { password, register: registerNumber }, { operator, value: u48 }, { ...read, clause: "5.4" }),
  operationalRegister: row(0x1b, "operational register", { password, register: u8 }, { operator, value: u16 }, { ...read, clause: "5.4" }),

  writeTable: row(0x1e, "write table", { password, table: u8, row: u16, field: u8, value: rest }, {}, { ...read, clause: "5.5" }),
  readTable: row(0x1f, "read table", { password, table: u8, row: u16, field: u8 }, { value: rest }, { ...read, clause: "5.5" }),
  tableInfo: row(0x2d, "table info", { password, table: u8 }, { name: fixedText(40), rows: u16, fields: u8 }, { ...read, clause: "5.5" }),
  fieldInfo: row(
    0x2e,
    "field info",
    { password, table: u8, field: u8 },
    { name: fixedText(40), type: u8, size: u8, limits: rest },
    { ...read, clause: "5.5" },
  ),
};
