/** Collects the pieces of a body. A server may send it byte by byte, and each piece costs hundreds of bytes besides its own. */
export interface JoinedPieces {
  add(bytes: Uint8Array): void;
  /** All of them, in order: as many as the body has blocks. Call it once. */
  all(): readonly Uint8Array[];
}

/** Longer pieces are kept as they are. */
const BLOCK_BYTES = 16 * 1024;

export function joinedPieces(): JoinedPieces {
  const pieces: Uint8Array[] = [];
  let block = new Uint8Array(BLOCK_BYTES);
  let used = 0;

  function endBlock(): void {
    if (used === 0) return;
    pieces.push(block.subarray(0, used));
    block = new Uint8Array(BLOCK_BYTES);
    used = 0;
  }

  return {
    add(bytes) {
      if (used + bytes.length > BLOCK_BYTES) endBlock();
      if (bytes.length > BLOCK_BYTES) pieces.push(bytes);
      else {
        block.set(bytes, used);
        used += bytes.length;
      }
    },
    all() {
      endBlock();
      return pieces;
    },
  };
}
