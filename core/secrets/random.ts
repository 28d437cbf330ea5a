/** `bytes` bytes of cryptographic quality. */
export type Random = (bytes: number) => Uint8Array;
