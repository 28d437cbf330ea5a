/** Collects the pieces of a body. A server may send it byte by byte, and each piece costs hundreds of bytes besides its own. */
export interface JoinedPieces {
  add(bytes: Uint8Array): void;
  /** All of them, in order: as many as the body has blocks. Call it once. */
  all(): readonly Uint8Array[];
}

/** Longer pieces are kept as they are. */
const BLOCK_BYTES = 16 * 1024;

const NONE = new Uint8Array();

export function joinedPieces(): JoinedPieces {
  const pieces: Uint8Array[] = [];
  let block = NONE;
  let used = 0;

  function endBlock(): void {
    if (used > 0) pieces.push(block.subarray(0, used));
    block = NONE;
    used = 0;
  }

  return {
    add(bytes) {
      if (used + bytes.length > block.length) endBlock();
      if (bytes.length > BLOCK_BYTES) {
        pieces.push(bytes);
        return;
      }
      if (block === NONE) block = new Uint8Array(BLOCK_BYTES);
      block.set(bytes, used);
      used += bytes.length;
    },
    all() {
      endBlock();
      return pieces;
    },
  };
}
