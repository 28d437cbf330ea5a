import type { Ports } from '../ports/ports.ts';

/** Ends every connection of an account. */
export async function disconnectAccount(
  { mail, calendar }: Pick<Ports, 'mail' | 'calendar'>,
  ownerId: string,
  accountId: number,
): Promise<void> {
  await mail.forget(ownerId, accountId);
  await calendar?.forget(ownerId, accountId);
}
