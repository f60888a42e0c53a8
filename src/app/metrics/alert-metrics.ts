import { Counter, Gauge, type Registry } from "prom-client";

export interface AlertSources {
  unsent(): Promise<{ audience: string; count: number }[]>;
}

export class AlertMetrics {
  readonly #messages: Counter<"kind" | "audience" | "outcome">;

  constructor(registry: Registry, sources: AlertSources | undefined) {
    const registers = [registry];
    this.#messages = new Counter({
      name: "alert_messages_total",
      help: "Attempts to tell a person of a condition that begins or ends, by what came of them",
      labelNames: ["kind", "audience", "outcome"],
      registers,
    });
    if (sources === undefined) return;
    new Gauge({
      name: "alert_unsent",
      help: "Messages to people that could not be sent and are tried again",
      labelNames: ["audience"],
      registers,
      async collect() {
        this.reset();
        for (const { audience, count } of await sources.unsent()) this.set({ audience }, count);
      },
    });
  }

  observe(kind: string, audience: string, outcome: "sent" | "failed"): void {
    this.#messages.inc({ kind, audience, outcome });
  }
}
