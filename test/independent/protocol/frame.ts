/** Frames of protocol 1.0: STX, LEN, DATA, LRC (shtrih-protocol 1.2). */
export const ENQ = 0x05;
export const ACK = 0x06;
export const NAK = 0x15;
export const STX = 0x02;

export const lrcOf = (data: Uint8Array): number => data.reduce((sum, byte) => sum ^ byte, data.length);

export const frameOf = (data: Uint8Array): Buffer => {
  if (data.length < 1 || data.length > 255) throw new RangeError(`a frame carries 1 to 255 bytes, not ${data.length}`);
  return Buffer.concat([Buffer.of(STX, data.length), data, Buffer.of(lrcOf(data))]);
};

/** The data of one whole frame. Undefined: it is no frame, or its check byte is wrong. */
export const dataOf = (frame: Uint8Array): Buffer | undefined => {
  const length = frame[1];
  if (frame[0] !== STX || length === undefined || frame.length !== length + 3) return undefined;
  const data = Buffer.from(frame.subarray(2, 2 + length));
  return lrcOf(data) === frame[frame.length - 1] ? data : undefined;
};
