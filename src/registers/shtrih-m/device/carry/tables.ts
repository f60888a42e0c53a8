import { parseWallTime } from "../../../../kernel/moment.ts";
import { ERROR } from "../machine/errors.ts";
import { isShiftOpen, type Machine, now, setClock } from "../machine/machine.ts";
import type { TableField } from "../machine/table-fields.ts";
import type { Handlers } from "./handler.ts";

/** Handlers of tables and clock (shtrih-protocol 5.5, 5.3). */
export const TABLE_HANDLERS: Handlers = {
  readTable({ tables }, { table, row, field }) {
    const read = tables.read(table, row, field);
    return read.kind === "error" ? read.error : { value: read.value };
  },

  async writeTable(machine, { value, table, row, field }) {
    return (await machine.tables.write({ table, row, field }, value, !isShiftOpen(machine))) ?? {};
  },

  tableInfo({ tables }, { table }) {
    const found = tables.table(table);
    return found === undefined ? ERROR.noSuchTable : { name: found.name, rows: found.rows, fields: found.fields.length };
  },

  fieldInfo({ tables }, { table, field }) {
    const found = tables.find(table, 1, field);
    if (found.kind === "error") return found.error;
    const { name, type, size } = found.field;
    return { name, type: type === "bin" ? 0 : 1, size, limits: limitsOf(found.field) };
  },

  async setTime(machine, { time }) {
    if (!mayBeSet(machine)) return ERROR.wrongMode;
    const wall = parseWallTime(`${now(machine).slice(0, 10)} ${time}`);
    if (wall === undefined) return ERROR.dateFormat;
    await setClock(machine, wall);
    return {};
  },

  setDate(machine, { date }) {
    if (!mayBeSet(machine)) return ERROR.wrongMode;
    if (parseWallTime(`${date} 00:00:00`) === undefined) return ERROR.dateFormat;
    machine.newDate = date;
    return {};
  },

  async confirmDate(machine, { date }) {
    if (machine.newDate === undefined) return ERROR.wrongMode;
    if (machine.newDate !== date) return ERROR.dateDiffers;
    await setClock(machine, `${date} ${now(machine).slice(11)}`);
    machine.newDate = undefined;
    return {};
  },
};

/** Whether the clock may be set: only with a closed shift and no begun document (shtrih-protocol 5.3). */
function mayBeSet(machine: Machine): boolean {
  return !isShiftOpen(machine) && machine.receipt === undefined && machine.begun === undefined;
}

/** Returns the minimum and maximum of a number field, each in the field's size. Empty for a text field. */
function limitsOf(field: TableField): Buffer {
  if (field.type === "char") return Buffer.alloc(0);
  const limits = Buffer.alloc(field.size * 2);
  limits.writeUIntLE(field.min, 0, field.size);
  limits.writeUIntLE(field.max, field.size, field.size);
  return limits;
}
