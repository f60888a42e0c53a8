import { NOT_SET, type VersionedSetting } from "../../accounts/settings.ts";
import { html, type Markup } from "../html.ts";

/**
 * A setting as a person saw it. The form sends it back with the typed values, and keeps it through every redraw until the person sees a new
 * value. So nobody unknowingly overwrites another person's change.
 */
export interface SeenSetting {
  version: string;
  shown: string;
}

/** Returns a setting as it is shown now. `stored` is undefined when the setting is not set. */
export function seenNow(stored: VersionedSetting | undefined): SeenSetting {
  return { version: stored?.version ?? NOT_SET, shown: stored?.shown ?? "" };
}

/** Returns the setting as the form showed it. A request may invent these values. */
export function seenIn(form: ReadonlyMap<string, string>, name: string): SeenSetting {
  return { version: form.get(`seen.${name}`) ?? NOT_SET, shown: form.get(`shown.${name}`) ?? "" };
}

/** Draws the hidden controls that return a seen setting. */
export function seenControls(name: string, { version, shown }: SeenSetting): Markup {
  return html`<input type="hidden" name="seen.${name}" value="${version}"><input type="hidden" name="shown.${name}" value="${shown}">`;
}
