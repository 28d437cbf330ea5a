/**
 * The heap limit of a process does not count array buffers, and pdf.js unpacks a stream into one that doubles
 * until the stream ends: a file of 4 KB can need gigabytes. This limits them in the process that calls it.
 */

let refused = 0;

/**
 * Makes any larger byte array throw a RangeError from now on. pdf.js treats that as the end of the stream and
 * uses its own code to unpack, because arrays of Node's DecompressionStream are not counted.
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

/** Returns how often that has happened. Code that catches the error may not report it. */
export function refusedByteArrays(): number {
  return refused;
}
