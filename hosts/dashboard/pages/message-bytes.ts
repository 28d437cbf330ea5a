import { Readable } from 'node:stream';
import type { OwnerVisit, Reply } from '../visit.ts';
import { notFoundPage } from './problem.tsx';

/** The exact bytes of the message that a request sends, as a file. The browser never shows it as a page. */
export async function messageBytes({ service, owner, param, head }: OwnerVisit): Promise<Reply> {
  const view = await service.approvals.show(owner.ownerId, param);
  const message = view?.content.kind === 'shown' ? view.content.message : undefined;
  if (message === undefined) return notFoundPage();
  return {
    kind: 'download',
    headers: {
      'content-type': 'message/rfc822',
      'content-disposition': `attachment; filename="${param}.eml"`,
    },
    body: '',
    rest: Readable.from(head.method === 'HEAD' ? [] : [message.bytes]),
  };
}
