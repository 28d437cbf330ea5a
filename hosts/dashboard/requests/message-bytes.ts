import { Readable } from 'node:stream';
import { download } from '../download.ts';
import { notFoundPage } from '../problem.tsx';
import type { OwnerVisit, Reply } from '../visit.ts';

/** The exact bytes of the message that a request sends, as a file. */
export async function messageBytes({ service, owner, param, head }: OwnerVisit): Promise<Reply> {
  const view = await service.approvals.show(owner.ownerId, param);
  const message = view?.content.kind === 'shown' ? view.content.message : undefined;
  if (message === undefined) return notFoundPage();
  return download(head, { name: `${param}.eml`, type: 'message/rfc822' }, Readable.from([message.bytes]));
}
