import type { MessagePlace } from '../../core/mail/listed-message.ts';
import type { RawMessage } from '../../core/ports/mail-reading.ts';
import { inEachFolder } from './each-folder.ts';
import type { ImapAccount } from './imap-accounts.ts';

/** Reads messages of several folders. @returns one for each place, in their order; undefined for one that is gone */
export async function readEach(
  { connections, messages }: Pick<ImapAccount, 'connections' | 'messages'>,
  places: readonly MessagePlace[],
  limit: AbortSignal,
): Promise<readonly (RawMessage | undefined)[]> {
  const folders = [...new Set(places.map(({ path }) => path))].map((path) => ({
    path,
    places: places.filter((place) => place.path === path),
  }));
  const read = await inEachFolder(connections, folders, limit, async (open, folder) => {
    const valid = folder.places.filter(({ uidValidity }) => uidValidity === open.uidValidity);
    const there = await messages.of(
      open,
      valid.map(({ uid }) => uid),
    );
    return new Map(valid.map((place) => [place, there.get(place.uid)]));
  });
  return places.map((place) => read.find((some) => some?.has(place))?.get(place));
}
