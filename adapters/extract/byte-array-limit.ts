/**
 * The heap limit of a process does not count array buffers, and pdf.js unpacks a stream into one that doubles until
 * the stream ends: a file of 4 KB can ask for gigabytes. This bounds them, for the process that calls it.
 */

let refused = 0;

/**
 * From here on to ask for a larger array of bytes throws a RangeError, which pdf.js takes as the end of the stream,
 * and it unpacks by its own code: what Node's DecompressionStream makes is not counted.
 */
export function limitByteArrays(maxBytes: number): void {
  Reflect.deleteProperty(globalThis, 'DecompressionStream');
  globalThis.Uint8Array = new Proxy(Uint8Array, {
    construct(target, args: unknown[], newTarget) {
      const [length] = args;
      if (typeof length === 'number' && length > maxBytes) {
        refused++;
        throw new RangeError(`A document asked for ${length} bytes at once.`);
      }
      const made: unknown = Reflect.construct(target, args, newTarget);
      if (made instanceof target) return made;
      throw new TypeError('This makes no array of bytes.');
    },
  });
}

/** How often that has happened: whoever catches the error may say nothing of it. */
export function refusedByteArrays(): number {
  return refused;
}
