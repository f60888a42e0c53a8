import type { Markup } from "../html.ts";
import type { PageContext } from "./context.ts";
import { watchedState } from "./pages.ts";
import { type NamedPoint, pointNamed } from "./point.ts";
import type { SettingsPageServices } from "./services.ts";
import { SharedReadings } from "./shared-readings.ts";

/**
 * How long the pages of a point of sale share a state. Each page asks every 700 ms, so twenty pages together send a request every 35 ms.
 * Without sharing, each request would read and draw a state, and sales would wait.
 */
const STATE_SHARED_MS = 150;
/** How long the server remembers whether a point of sale belongs to an account. An account's points of sale change rarely. */
const POINT_SHARED_MS = 5_000;

type State = { markup: Markup; version: string };

/** The register states that open pages request repeatedly. For a short time, all pages of a point of sale in one language share a state. */
export class WatchedPoints {
  readonly #services: SettingsPageServices;
  readonly #points: SharedReadings<NamedPoint | undefined>;
  readonly #states: SharedReadings<State>;

  constructor(services: SettingsPageServices) {
    this.#services = services;
    this.#points = new SharedReadings(services.clock, { lastsMs: POINT_SHARED_MS });
    this.#states = new SharedReadings(services.clock, { lastsMs: STATE_SHARED_MS });
  }

  /** Returns the current state, or the state of a moment ago. Undefined: the session's account has no such point of sale. */
  async stateOf(context: PageContext, storeId: string): Promise<State | undefined> {
    const { appId, accountId } = context.session;
    const name = JSON.stringify([appId, accountId, storeId]);
    const point = await this.#points.of(name, () => pointNamed(this.#services, context, storeId));
    if (point === undefined) return undefined;
    return this.#states.of(`${context.language} ${name}`, () => watchedState(this.#services, context, point));
  }
}
