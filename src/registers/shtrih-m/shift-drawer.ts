import type { Deadline } from "../../kernel/deadline.ts";
import type { Reached } from "../register.ts";
import type { Connection } from "./connection.ts";
import type { Drawer } from "./lookup-facts.ts";
import { wordsOf } from "./refusals.ts";

/** Money registers of the drawer (reference 5.4). */
const BALANCE = 241;
const CASH_IN = 242;
const CASH_OUT = 243;

/** Cash that went in and out in the shift, and what lies in the drawer. */
export async function readDrawer(connection: Connection, deadline: Deadline): Promise<Reached<Drawer>> {
  const found: number[] = [];
  for (const register of [CASH_IN, CASH_OUT, BALANCE]) {
    const asked = await connection.ask("moneyRegister", { password: connection.passwords.system, register }, deadline);
    if (asked.kind === "unreachable") return asked;
    if (asked.kind === "error") return { kind: "unreachable", reason: `Касса не называет наличности: ${wordsOf(asked.error)}` };
    found.push(asked.values.value);
  }
  const [inKopecks = 0, outKopecks = 0, balanceKopecks = 0] = found;
  return { kind: "reached", value: { inKopecks, outKopecks, balanceKopecks } };
}

/** The drawer of a closed shift, while no other has begun; undefined when the register no longer knows it. */
export async function drawerOf(connection: Connection, shiftNumber: number, deadline: Deadline): Promise<Drawer | undefined> {
  const asked = await connection.ask("shiftParameters", { password: connection.passwords.system }, deadline);
  if (asked.kind !== "ok" || asked.values.state !== CLOSED || asked.values.shift !== shiftNumber) return undefined;
  const drawer = await readDrawer(connection, deadline);
  return drawer.kind === "reached" ? drawer.value : undefined;
}

const CLOSED = 0;
