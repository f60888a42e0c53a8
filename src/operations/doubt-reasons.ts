/**
 * Reasons for a doubt that name a document of the drive and say that it is not what was sent. A person's word is
 * held against them where the register cannot be asked again.
 */
export const notOurs = (number: number) => `ФД № ${number} пробит не этой операцией`;
export const otherSign = (number: number) => `У чека ФД № ${number} другой признак расчёта`;
export const otherSum = (number: number) => `У чека ФД № ${number} другая сумма`;
export const otherKind = (number: number) => `Последний документ кассы (ФД № ${number}) другого вида`;
/** Our id is on it: something was registered, and another attempt would be a second document. */
export const registeredOtherwise = (number: number) => `Эта операция уже пробита с другой суммой: ФД № ${number}`;

/** Whether the register has said already that this document of the drive is not what was sent. */
export function speaksAgainst(doubt: string | undefined, number: number): boolean {
  return [notOurs, otherSign, otherSum, otherKind, registeredOtherwise].some((reason) => reason(number) === doubt);
}

/** Whether the register has said already that something was registered under our id. */
export function saysRegistered(doubt: string | undefined): boolean {
  const [number = ""] = /\d+/.exec(doubt ?? "") ?? [];
  return [otherSign, otherSum, registeredOtherwise].some((reason) => reason(Number(number)) === doubt);
}
