import type { Clock } from "../../../kernel/clock.ts";
import type { WireSocket } from "./wire-socket.ts";

interface Life {
  alive(): void;
  end(): void;
}

/**
 * Pings the peer every `pingMs`. The caller calls `alive` for each frame, ping and pong of the peer. After `silenceMs` without `alive`,
 * calls `silent` once and stops. Without pings a cut cable shows no error for many minutes.
 */
export function watchLife(
  socket: WireSocket,
  { clock, pingMs, silenceMs }: { clock: Clock; pingMs: number; silenceMs: number },
  silent: () => void,
): Life {
  let heardMs = clock.monotonicMs();
  let cancel = () => {};
  const next = () => {
    const quietMs = clock.monotonicMs() - heardMs;
    if (quietMs >= silenceMs) {
      silent();
      return;
    }
    socket.ping();
    cancel = clock.after(Math.min(pingMs, silenceMs - quietMs), next);
  };
  cancel = clock.after(Math.min(pingMs, silenceMs), next);
  return {
    alive: () => {
      heardMs = clock.monotonicMs();
    },
    end: () => cancel(),
  };
}
