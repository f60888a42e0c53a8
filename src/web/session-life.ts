/** The largest step back of the clock, and the largest difference between the clocks of two processes, that a session survives. */
const CLOCK_STEP_MS = 60_000;

/**
 * Whether a session that lasts `lastsMs` from its begin is valid now. False when more time is left than a new session would have: the
 * session began while the clock was ahead, and would be valid for years after the clock is right again.
 */
export function isInForce(expiresAtMs: number, nowMs: number, lastsMs: number): boolean {
  return expiresAtMs > nowMs && expiresAtMs - nowMs <= lastsMs + CLOCK_STEP_MS;
}
