import type { Fields } from "../protocol/bytes.ts";
import { fromCp1251, trimmed } from "../protocol/text.ts";

/** Reads answers of shtrih-protocol 5. Each function takes the data after the error byte. */
export const readShortStatus = (fields: Fields) => {
  const [operator, flags, mode, submode, operationsLow] = [fields.uint(1), fields.uint(2), fields.uint(1), fields.uint(1), fields.uint(1)];
  fields.take(4);
  return { operator, flags, mode: mode & 0x0f, kind: mode >> 4, submode, operations: operationsLow + 256 * fields.uint(1) };
};

export const readLongStatus = (fields: Fields) => {
  const operator = fields.uint(1);
  const firmware = fromCp1251(fields.take(2));
  const build = fields.uint(2);
  fields.take(4);
  const document = fields.uint(2);
  const flags = fields.uint(2);
  const mode = fields.uint(1);
  const submode = fields.uint(1);
  fields.take(8);
  const date = [...fields.take(3)];
  const time = [...fields.take(3)];
  fields.take(1);
  const serialLow = fields.uint(4);
  const closedShift = fields.uint(2);
  fields.take(4);
  return { operator, firmware, build, document, flags, mode, submode, date, time, serialLow, closedShift, inn: fields.uint(6) };
};

export const readDriveStatus = (fields: Fields) => {
  const [life, openDocument, documentData, shift, warnings] = [
    fields.uint(1),
    fields.uint(1),
    fields.uint(1),
    fields.uint(1),
    fields.uint(1),
  ];
  const moment = readMoment(fields);
  const number = fields.take(16).toString("latin1");
  return { life, openDocument, documentData, shiftOpen: shift === 1, warnings, moment, number, lastDocument: fields.uint(4) };
};

export type DriveStatus = ReturnType<typeof readDriveStatus>;

export const readShiftState = (fields: Fields) => ({ open: fields.uint(1) === 1, shift: fields.uint(2), receipt: fields.uint(2) });

export type RegisteredDocument = {
  readonly type: number;
  readonly confirmed: boolean;
  readonly moment: string;
  readonly number: number;
  readonly sign: number;
  readonly shift?: number;
  readonly operation?: number;
  readonly totalKopecks?: number;
};

export const readDocument = (fields: Fields): RegisteredDocument => {
  const head = {
    type: fields.uint(1),
    confirmed: fields.uint(1) === 1,
    moment: readMoment(fields),
    number: fields.uint(4),
    sign: fields.uint(4),
  };
  if ([2, 5].includes(head.type)) return { ...head, shift: fields.uint(2) };
  if ([3, 4, 31, 41].includes(head.type)) return { ...head, operation: fields.uint(1), totalKopecks: fields.uint(5) };
  return head;
};

export const readClosedReceipt = (fields: Fields) => ({ changeKopecks: fields.uint(5), number: fields.uint(4), sign: fields.uint(4) });

export const readDeviceType = (fields: Fields) => {
  const [type, subtype, protocol, subprotocol, model, language] = Array.from({ length: 6 }, () => fields.uint(1));
  return { type, subtype, protocol, subprotocol, model, language, name: trimmed(fields.take()) };
};

export const readOfdStatus = (fields: Fields) => ({
  status: fields.uint(1),
  reading: fields.uint(1),
  waiting: fields.uint(2),
  firstDocument: fields.uint(4),
  firstMoment: readMoment(fields),
});

/** Reads `dt5` (YY MM DD hh mm, shtrih-protocol 0.2) as `2026-03-14 10:05`. */
export const readMoment = (fields: Fields): string => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = fields.take(5);
  const two = (part: number) => String(part).padStart(2, "0");
  return `20${two(year)}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}`;
};
