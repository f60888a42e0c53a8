import type { CodeChannelState, LoyaltyExamination } from "../../operator/loyalty/examine-loyalty.ts";

export function loyaltyLines({ channels, connections }: LoyaltyExamination): string[] {
  return [
    "Channels of verification codes",
    ...(channels.length === 0 ? ["  none: no code can be sent"] : channels.map(({ name, problem }) => `  ${name}: ${problem ?? "works"}`)),
    "",
    "Loyalty programmes",
    ...(connections.length === 0
      ? ["  none: loyalty is on in no account"]
      : connections.map(({ accountId, state, said }) => `  ${accountId}: ${stateText(state)}${said === undefined ? "" : `: ${said}`}`)),
    "",
    ...findings(channels, connections),
  ];
}

/** True when the platform could not be told of a programme, or when a programme is on and every configured channel fails. */
export function loyaltyStops({ channels, connections }: LoyaltyExamination): boolean {
  return connections.some(({ state }) => state === "failed") || allFail(channels, connections);
}

/** True when a programme is on and every configured channel fails. False when no channel is configured. */
function allFail(channels: readonly CodeChannelState[], connections: LoyaltyExamination["connections"]): boolean {
  return connections.length > 0 && channels.length > 0 && channels.every(({ problem }) => problem !== undefined);
}

function stateText(state: LoyaltyExamination["connections"][number]["state"]): string {
  switch (state) {
    case "connected":
      return "the platform knows the programme";
    case "failed":
      return "the platform was not told";
    case "untold":
      return "the platform was told nothing yet; a running server does it";
  }
}

function findings(channels: readonly CodeChannelState[], connections: LoyaltyExamination["connections"]): string[] {
  return [
    ...connections.flatMap(({ accountId, state }) =>
      state === "failed"
        ? [
            `STOPS NOW: The platform does not know the loyalty programme of ${accountId}: tills go on without it.`,
            "  Mend what it has said; a running server tries again, or switch the setting `loyalty` on once more.",
          ]
        : [],
    ),
    ...(allFail(channels, connections)
      ? ["STOPS NOW: No verification code can be sent.", "  Check CODE_CHANNEL, and that this machine reaches what it names."]
      : []),
  ];
}
