import { registerAddress } from "../../agents/address.ts";
import type { ShownAgent, ShownRegister } from "../../agents/agent.ts";
import type { Accepted } from "../../agents/desk.ts";

export function listLines(agents: readonly ShownAgent[]): string[] {
  const rows = [HEAD, ...agents.map(rowOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

const HEAD = ["NAME", "STATE", "SINCE", "ACCOUNT", "VERSION", "REGISTERS"];

function rowOf({ name, state, since, account, version, registers, codeUntil }: ShownAgent): string[] {
  const what = codeUntil === undefined ? registers.map(shortRegister).join(", ") : `its code works until ${codeUntil}`;
  return [name, state, since ?? "", account, version ?? "", what];
}

function shortRegister({ name, scheme, other }: ShownRegister): string {
  return `${name}${scheme === null ? "" : ` (${scheme})`}${other === undefined ? "" : " another device: accept it"}`;
}

export function agentLines(agent: ShownAgent): string[] {
  const { name, account, state, since, version, protocol, epoch, rttMs, unfinished, codeUntil } = agent;
  const facts = { name, account, state, since, version, protocol, epoch, rttMs, unfinished, codeUntil };
  const lines = Object.entries(facts).flatMap(([what, value]) =>
    value === null || value === undefined ? [] : [`${what.padEnd(11)} ${value}`],
  );
  return [...lines, ...agent.registers.flatMap((register) => registerLines(name, register))];
}

function registerLines(agent: string, { name, scheme, serialNumber, driveNumber, state, other }: ShownRegister): string[] {
  const device = serialNumber === null ? "no device was seen yet" : `device ${serialNumber}, drive ${driveNumber}`;
  const line = `  ${registerAddress(agent, name)}  ${scheme ?? "?"}  ${state}  ${device}`;
  if (other === undefined) return [line];
  const { serialNumber: serial, driveNumber: drive } = other;
  return [
    line,
    `    device ${serial}, drive ${drive} stands there now and is refused: \`agents accept ${agent}/${name}\` if it was replaced`,
  ];
}

export function acceptedLines({ name, register }: { name: string; register: string }, accepted: Accepted): string[] {
  if (accepted.kind !== "accepted") return [`Nothing of ${registerAddress(name, register)} waits to be accepted.`];
  const { copy, device } = accepted;
  return [
    ...(copy === "other" ? [`The copy of ${name} that was refused is the agent from now on.`] : []),
    ...(copy === "connected" ? [`The copy of ${name} that is connected stays the agent.`] : []),
    ...(device === undefined
      ? []
      : [`${registerAddress(name, register)} is device ${device.serialNumber} with drive ${device.driveNumber}.`]),
  ];
}
