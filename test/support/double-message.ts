export interface Incoming {
  method: string;
  path: string;
  headers: Record<string, string | undefined>;
  /** The body as it came, and the unpacked body. */
  raw: Buffer;
  body: Buffer;
}

export interface Reply {
  status: number;
  type?: string;
  body: string | Buffer;
}

/** The JSON object of a body, or an empty object when there is none. */
export function objectIn(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
