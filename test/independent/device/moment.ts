/** The device's wall clock: Moscow time, kept as if it were UTC (shtrih-protocol 9.1). */
export type Moment = Date;

const moscowMs = 3 * 3_600_000;

export const wallClock = (): Moment => new Date(Date.now() + moscowMs);

const year = (moment: Moment) => moment.getUTCFullYear() - 2000;

/** YY MM DD hh mm */
export const dt5 = (moment: Moment): Buffer => Buffer.of(year(moment), ...date(moment), moment.getUTCHours(), moment.getUTCMinutes());
/** DD MM YY */
export const date3 = (moment: Moment): Buffer => Buffer.of(moment.getUTCDate(), moment.getUTCMonth() + 1, year(moment));
/** hh mm ss */
export const time3 = (moment: Moment): Buffer => Buffer.of(moment.getUTCHours(), moment.getUTCMinutes(), moment.getUTCSeconds());

export const unixSeconds = (moment: Moment): number => Math.floor(moment.getTime() / 1000);

/** `2026-03-14 10:05`, as precise as dt5. */
export const minuteText = (moment: Moment): string => moment.toISOString().slice(0, 16).replace("T", " ");

const date = (moment: Moment) => [moment.getUTCMonth() + 1, moment.getUTCDate()] as const;
