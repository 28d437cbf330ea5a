import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What the process holds after a collection, in V8's heap and in buffers. */
export async function heldBytes(): Promise<number> {
  // Buffers are freed by a task after the collection that finds them.
  for (let round = 0; round < 2; round += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
