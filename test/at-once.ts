/**
 * Works on the items in their order, at most `atOnce` at a time. After an error it starts no further item.
 * @returns the results, in the order of the items
 * @throws the first error, once everything that was started has ended
 */
export async function workAtOnce<Item, Result>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  let failed = false;
  const workers = Array.from({ length: atOnce }, async () => {
    for (const [index, item] of waiting) {
      if (failed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  });
  for (const ended of await Promise.allSettled(workers)) {
    if (ended.status === 'rejected') throw ended.reason;
  }
  return results;
}
