import { disconnectAccount } from '../accounts/disconnect-account.ts';
import type { MailIndexing } from '../mail-index/kept-index.ts';
import type { Ports } from '../ports/ports.ts';

/** @returns ends every connection of an account that was removed or whose settings changed, and erases its index */
export function createForgetAccount(
  ports: Pick<Ports, 'mail' | 'calendar'>,
  indexing: Pick<MailIndexing, 'eraseIndex'> | undefined,
): (ownerId: string, accountId: number) => Promise<void> {
  return async (ownerId, accountId) => {
    await disconnectAccount(ports, ownerId, accountId);
    await indexing?.eraseIndex({ ownerId, accountId });
  };
}
