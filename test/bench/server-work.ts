/** The processor time of the server's process, in seconds. Of all numbers it depends least on other load of the machine. */
export async function workedSeconds(base: string): Promise<number> {
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(await metricsOf(base))?.[1]);
}

export async function metricsOf(base: string): Promise<string> {
  return (await fetch(`${base}/metrics`)).text();
}
