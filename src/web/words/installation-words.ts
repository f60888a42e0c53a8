import type { Installation } from "../../accounts/installation.ts";
import type { Say } from "../language.ts";

type Words = readonly [ru: string, en: string];

const STATES: Readonly<Record<string, Words>> = {
  active: ["Работает", "Active"],
  settings_required: ["Ждёт настройки", "Waits for settings"],
  suspended: ["Приостановлена", "Suspended"],
  uninstalled: ["Удалена", "Uninstalled"],
} satisfies Record<Installation["state"], Words>;

/** Returns the words for the state of an installation. An unknown state stays unchanged. */
export function installationStateWords(say: Say, state: string): string {
  const words = Object.hasOwn(STATES, state) ? STATES[state] : undefined;
  return words === undefined ? state : say(...words);
}
