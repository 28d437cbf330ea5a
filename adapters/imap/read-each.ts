import type { MessagePlace } from '../../core/mail/listed-message.ts';
import type { RawMessage } from '../../core/ports/mail-reading.ts';
import type { AccountConnections } from './account-connections.ts';
import { readMessages } from './content.ts';
import { inEachFolder } from './each-folder.ts';

/** Reads messages of several folders. @returns one for each place, in their order; undefined for one that is gone */
export async function readEach(
  connections: AccountConnections,
  places: readonly MessagePlace[],
  limit: AbortSignal,
): Promise<readonly (RawMessage | undefined)[]> {
  const folders = [...new Set(places.map(({ path }) => path))].map((path) => ({
    path,
    places: places.filter((place) => place.path === path),
  }));
  const read = await inEachFolder(connections, folders, limit, async (open, folder) => {
    const valid = folder.places.filter(({ uidValidity }) => uidValidity === open.uidValidity);
    const messages = new Map<number, RawMessage>();
    const uids = valid.map(({ uid }) => uid);
    for await (const message of readMessages(open, uids)) messages.set(message.row.place.uid, message);
    return new Map(valid.map((place) => [place, messages.get(place.uid)]));
  });
  return places.map((place) => read.find((messages) => messages?.has(place))?.get(place));
}
