/** Returns the tokens that end in these bytes. `take` gets the bytes one by one. */
export function tokensFrom<Token>(bytes: Uint8Array, take: (byte: number) => Token | undefined): Token[] {
  const tokens: Token[] = [];
  for (const byte of bytes) {
    const token = take(byte);
    if (token !== undefined) tokens.push(token);
  }
  return tokens;
}
