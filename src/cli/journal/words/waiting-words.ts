import type { Waiting } from "../../../operator/explaining/waiting.ts";

/** Returns the next step, for the operator. */
export function nextStep(id: number, { state, owner }: Waiting): string {
  return NEXT[state][owner](id);
}

type Step = (id: number) => string;

const NEXT: Record<Waiting["state"], Record<Waiting["owner"], Step>> = {
  queued: {
    server: () => "the server sends it when its turn comes; nothing has been sent yet",
    person: () => "see that the server runs: it takes this up within five seconds. Nothing has been sent, so nothing can be lost",
  },
  sending: {
    server: () => "the server waits for the register's answer, then asks the register what it printed",
    person: () => "see that the server runs and that its database takes commits: it asks the register what it printed",
  },
  "in-doubt": {
    server: () => "the server asks the register every five seconds what it printed",
    person: (id) =>
      `see that the register is switched on and connected: the server then settles this by itself. If it does not, compare and settle: journal explain ${id}`,
  },
};

/** Returns `40 s`, `12 min`, `5 h` or `3 d`: exact enough for a list. */
export function ageText(ageMs: number): string {
  const seconds = Math.max(0, Math.floor(ageMs / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
