/**
 * Which messages name which ids, by number. A hundred thousand messages take a few megabytes. Links are only
 * added, because what a message names never changes.
 */
export interface MessageLinks {
  /** The number of links. A message has one per id. */
  readonly size: number;
  /** The memory that they take. */
  readonly bytes: number;
  /** @param ids  each once, below 2^53 @param uid  above all that were added before */
  add(uid: number, ids: readonly number[]): void;
  /** Returns the ids of a message, or undefined for an unknown UID. */
  idsOf(uid: number): readonly number[] | undefined;
  /** Returns the UIDs of the messages that name the id. */
  naming(id: number): readonly number[];
}

const NONE = -1;

export function messageLinks(): MessageLinks {
  /** Per message: its UID, ascending, and its first link. */
  let uids = new Uint32Array(64);
  let starts = new Uint32Array(64);
  let messages = 0;
  /** Per link: its id, its message, and the previous link of the same bucket. */
  let ids = new Float64Array(128);
  let owners = new Uint32Array(128);
  let earlier = new Int32Array(128);
  let links = 0;
  /**
   * The newest link of each bucket. A bucket is the last bits of an id; there are as many as there is room
   * for links.
   */
  let buckets = new Int32Array(128).fill(NONE);

  const bucketOf = (id: number) => (id >>> 0) & (buckets.length - 1);

  function chain(link: number): void {
    const bucket = bucketOf(ids[link] ?? 0);
    earlier[link] = buckets[bucket] ?? NONE;
    buckets[bucket] = link;
  }

  function makeRoom(): void {
    if (messages === uids.length) {
      uids = copied(new Uint32Array(2 * messages), uids);
      starts = copied(new Uint32Array(2 * messages), starts);
    }
    if (links < ids.length) return;
    ids = copied(new Float64Array(2 * links), ids);
    owners = copied(new Uint32Array(2 * links), owners);
    earlier = new Int32Array(2 * links);
    buckets = new Int32Array(2 * links).fill(NONE);
    for (let link = 0; link < links; link++) chain(link);
  }

  function messageOf(uid: number): number | undefined {
    let low = 0;
    let high = messages;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((uids[middle] ?? 0) < uid) low = middle + 1;
      else high = middle;
    }
    return low < messages && uids[low] === uid ? low : undefined;
  }

  return {
    get size() {
      return links;
    },
    get bytes() {
      return [uids, starts, ids, owners, earlier, buckets].reduce(
        (sum, { byteLength }) => sum + byteLength,
        0,
      );
    },
    add(uid, named) {
      makeRoom();
      uids[messages] = uid;
      starts[messages] = links;
      for (const id of named) {
        makeRoom();
        ids[links] = id;
        owners[links] = messages;
        chain(links);
        links += 1;
      }
      messages += 1;
    },
    idsOf(uid) {
      const message = messageOf(uid);
      if (message === undefined) return undefined;
      const end = message + 1 < messages ? starts[message + 1] : links;
      return Array.from(ids.subarray(starts[message], end));
    },
    naming(id) {
      const found: number[] = [];
      for (let link = buckets[bucketOf(id)] ?? NONE; link !== NONE; link = earlier[link] ?? NONE) {
        if (ids[link] === id) found.push(uids[owners[link] ?? 0] ?? 0);
      }
      return found;
    },
  };
}

function copied<A extends Float64Array | Uint32Array>(larger: A, values: A): A {
  larger.set(values);
  return larger;
}
