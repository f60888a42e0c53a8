import { type DestinationStream, pino } from "pino";
import type { Log } from "../kernel/log.ts";
import { redacted, redactedText } from "../kernel/redaction/redaction.ts";
import { visible } from "../kernel/visible.ts";

interface LogOptions {
  level: string;
  /** Called with each line that was written. */
  written(line: string): void;
  destination?: DestinationStream;
}

/** The largest number of bytes of waiting lines while the standard error cannot be written. Further lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;
const STANDARD_ERROR = 2;

/** Returns the agent's log: one JSON object for each line, on standard error. Every line passes the redaction list. */
export function createLog({ level, written, destination = standardError() }: LogOptions): Log {
  const write = (text: string) => {
    // JSON leaves some control characters of terminals unescaped, and people read a log in a terminal.
    const line = visible(text);
    destination.write(line);
    written(line);
  };
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // The redaction has already turned errors into plain objects.
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
