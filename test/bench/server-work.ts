/** Seconds that the server's process has worked: the one of the numbers that a busy machine hardly touches. */
export async function workedSeconds(base: string): Promise<number> {
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(await metricsOf(base))?.[1]);
}

export async function metricsOf(base: string): Promise<string> {
  return (await fetch(`${base}/metrics`)).text();
}
