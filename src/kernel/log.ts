/** An interface for log lines that matches pino, so only `app/logging` and `agent/logging` need pino. */
export interface Log {
  trace(values: Record<string, unknown>, text: string): void;
  debug(values: Record<string, unknown>, text: string): void;
  info(values: Record<string, unknown>, text: string): void;
  warn(values: Record<string, unknown>, text: string): void;
  error(values: Record<string, unknown>, text: string): void;
}

export const silentLog: Log = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
