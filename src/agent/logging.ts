import { type DestinationStream, pino } from "pino";
import type { Log } from "../kernel/log.ts";
import { redacted, redactedText } from "../kernel/redaction/redaction.ts";
import { visible } from "../kernel/visible.ts";

interface LogOptions {
  level: string;
  written(line: string): void;
  destination?: DestinationStream;
}

/** The limit of queued bytes while standard error is blocked. Further lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;
const STANDARD_ERROR = 2;

/** Returns the agent's log: one redacted JSON object per line on standard error. `written` gets each line too. */
export function createLog({ level, written, destination = standardError() }: LogOptions): Log {
  const write = (text: string) => {
    // JSON leaves some terminal control characters unescaped, and people read the log in a terminal.
    const line = visible(text);
    destination.write(line);
    written(line);
  };
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // `redacted` has already turned errors into plain objects.
      serializers: { err: (value: unknown) => value },
      formatters: { level: (label) => ({ level: label }), log: redacted },
    },
    { write },
  );
  return {
    trace: (values, text) => logger.trace(values, redactedText(text)),
    debug: (values, text) => logger.debug(values, redactedText(text)),
    info: (values, text) => logger.info(values, redactedText(text)),
    warn: (values, text) => logger.warn(values, redactedText(text)),
    error: (values, text) => logger.error(values, redactedText(text)),
  };
}

function standardError(): DestinationStream {
  const output = pino.destination({ fd: STANDARD_ERROR, sync: true, maxLength: MAX_WAITING_BYTES });
  // A failed write cannot be reported anywhere. The next write tries again.
  output.on("error", () => undefined);
  return output;
}
