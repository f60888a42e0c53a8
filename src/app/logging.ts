import { type DestinationStream, pino } from "pino";
import type { Log } from "../kernel/log.ts";
import { redacted, redactedText } from "../kernel/redaction/redaction.ts";
import { visible } from "../kernel/visible.ts";

/**
 * Returns the program's log: one JSON object a line, by default on standard output. Every line passes the redaction list.
 * `http/request-context` adds the request id. `level`: one of pino's names, checked by the configuration.
 */
export function createLog(options: { level: string; destination?: DestinationStream }): Log {
  const destination = options.destination ?? logOutput();
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // The redaction has already turned errors into plain objects.
      serializers: { err: (value: unknown) => value },
      formatters: {
        level: (label) => ({ level: label }),
        log: redacted,
      },
    },
    // JSON leaves some control characters of terminals unescaped, and people read a log in a terminal.
    { write: (line) => destination.write(visible(line)) },
  );
  return {
    trace: (values, text) => logger.trace(values, redactedText(text)),
    debug: (values, text) => logger.debug(values, redactedText(text)),
    info: (values, text) => logger.info(values, redactedText(text)),
    warn: (values, text) => logger.warn(values, redactedText(text)),
    error: (values, text) => logger.error(values, redactedText(text)),
  };
}

/** The maximum number of bytes of lines that wait for room to be written. Enough for the lines of some hours. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * Returns the destination of the log: standard output, or another open file. A full disk must not end the server, because operations
 * continue without the log. Lines then wait for room. Beyond the limit they are dropped.
 */
export function logOutput(fd = 1): DestinationStream {
  const output = pino.destination({ fd, sync: true, maxLength: MAX_WAITING_BYTES });
  // A failed write cannot be reported anywhere. The next write tries again.
  output.on("error", () => undefined);
  return output;
}
