import type { UnsentAlert } from "../../alerts/alerts.ts";

/** The channels of alerts, and the messages that could not be sent. */
export interface AlertExamination {
  /** `reaches`: the operator, or owners of points of sale. `problem`: why the channel fails. Absent: it works. */
  channels: readonly { name: string; reaches: "operator" | "owner"; problem?: string }[];
  /** The oldest first, at most `SHOWN_UNSENT`. */
  unsent: readonly UnsentAlert[];
}

export const SHOWN_UNSENT = 20;

export function alertLines({ channels, unsent }: AlertExamination): string[] {
  return [
    "Alerts",
    ...(channels.length === 0 ? ["  none: nobody is told of what needs a person"] : channels.map(channelLine)),
    ...unsent.map(
      ({ kind, state, audience, attempts, problem }) =>
        `  not sent: ${kind} ${state}, to the ${audience}, tried ${attempts} times: ${problem}`,
    ),
    "",
  ];
}

/** True when a message could not be sent, or a channel does not work. */
export function alertsStop({ channels, unsent }: AlertExamination): boolean {
  return unsent.length > 0 || channels.some(({ problem }) => problem !== undefined);
}

/** Returns lines with the problem and what to do about it. Empty when there is no problem. */
export function alertFindings(examination: AlertExamination): string[] {
  if (!alertsStop(examination)) return [];
  return [
    "STOPS NOW: Alerts do not reach whom they should.",
    "  Check ALERT_CHANNEL and the setting `alertEmail`; a running server tries again by itself.",
  ];
}

function channelLine({ name, reaches, problem }: AlertExamination["channels"][number]): string {
  return `  ${name}, to the ${reaches}: ${problem ?? "works"}`;
}
