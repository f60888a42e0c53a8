import { wallTimeAt } from "../kernel/moment.ts";
import { registerAddress } from "./address.ts";
import type { SeenDevice } from "./pins.ts";

/* Why a register behind an agent cannot be used, for a cashier. */

export function unknownAgent(name: string): string {
  return `агент ${name} не заведён`;
}

export function revokedAgent(name: string): string {
  return `агент ${name} отозван`;
}

export function neverConnected(name: string): string {
  return `агент ${name} ещё ни разу не был на связи`;
}

export function agentAway(name: string, sinceMs: number | undefined, zone: string): string {
  return sinceMs === undefined ? `агент ${name} не на связи` : `агент ${name} не на связи с ${momentOf(sinceMs, zone)}`;
}

/** The agent is connected to another process of the server. */
export function connectedElsewhere(name: string): string {
  return `агент ${name} на связи с другим процессом сервера; повторите запрос`;
}

export function needsServer(name: string): string {
  return `до агента ${name} достаёт только работающий сервер`;
}

export function serverLeaving(): string {
  return "сервер перезапускается";
}

export function connectionEnded(): string {
  return "связь с агентом в магазине прервалась";
}

export function notAnswered(): string {
  return "агент в магазине не ответил вовремя";
}

export function otherDevice(place: { name: string; register: string }, pinned: SeenDevice, device: SeenDevice): string {
  const was = `была касса № ${pinned.serialNumber} с ФН ${pinned.driveNumber}`;
  const is = `стоит касса № ${device.serialNumber} с ФН ${device.driveNumber}`;
  return `за ${registerAddress(place.name, place.register)} ${was}, а теперь ${is}; если её заменили, замену нужно подтвердить в настройках`;
}

function momentOf(atMs: number, zone: string): string {
  const wall = wallTimeAt(atMs, zone);
  return `${wall.slice(11, 16)} ${wall.slice(8, 10)}.${wall.slice(5, 7)}.${wall.slice(0, 4)}`;
}
