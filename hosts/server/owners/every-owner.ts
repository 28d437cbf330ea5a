import type { Owner } from '../../../core/owners/owner-state.ts';

const PAGE = 100;

/** Every owner, page by page. @param list  as `Storage.owners` */
export async function* everyOwner(
  list: (page: { after: string; limit: number }) => Promise<readonly Owner[]>,
): AsyncGenerator<Owner> {
  let after: string | undefined = '';
  while (after !== undefined) {
    const owners: readonly Owner[] = await list({ after, limit: PAGE });
    yield* owners;
    after = owners.at(-1)?.ownerId;
  }
}
