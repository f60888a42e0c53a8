import type { Markup } from "../html.ts";
import type { PageContext } from "./context.ts";
import { watchedState } from "./pages.ts";
import { type NamedPoint, pointNamed } from "./point.ts";
import type { SettingsPageServices } from "./services.ts";
import { SharedReadings } from "./shared-readings.ts";

/**
 * How long a state is shared by the pages of a point of sale. They ask every 700 ms, so twenty pages ask every 35 ms; a sale beside them
 * would wait for the database and the drawing of each.
 */
const STATE_SHARED_MS = 150;
/** How long it is known that a point of sale belongs to its account. The lists of the platform change by the day. */
const POINT_SHARED_MS = 5_000;

type State = { markup: Markup; version: string };

/** The states of registers that open pages ask for again and again: read and drawn once for all pages of a point of sale. */
export class WatchedPoints {
  readonly #services: SettingsPageServices;
  readonly #points: SharedReadings<NamedPoint | undefined>;
  readonly #states: SharedReadings<State>;

  constructor(services: SettingsPageServices) {
    this.#services = services;
    this.#points = new SharedReadings(services.clock, { lastsMs: POINT_SHARED_MS });
    this.#states = new SharedReadings(services.clock, { lastsMs: STATE_SHARED_MS });
  }

  /** Returns the state as it is now, or as it was a moment ago. Undefined: the session's account has no such point of sale. */
  async stateOf(context: PageContext, storeId: string): Promise<State | undefined> {
    const { appId, accountId } = context.session;
    const name = JSON.stringify([appId, accountId, storeId]);
    const point = await this.#points.of(name, () => pointNamed(this.#services, context, storeId));
    if (point === undefined) return undefined;
    return this.#states.of(`${context.language} ${name}`, () => watchedState(this.#services, context, point));
  }
}
