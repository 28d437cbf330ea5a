import { onlyLong } from '../../only-long.ts';
import { startDovecot } from '../../servers/dovecot.ts';
import { imapContract } from './imap-contract.ts';

imapContract(
  'Dovecot without MOVE, IDLE, UIDPLUS and SPECIAL-USE, with every folder below the inbox',
  () => startDovecot({ capability: 'IMAP4rev1 ID NAMESPACE CHILDREN', prefix: 'INBOX.', specialUse: false }),
  { originalStays: true, cannotAnnounce: true },
);

onlyLong('dovecot: variants', () => {
  imapContract(
    'Dovecot without MOVE and IDLE',
    () => startDovecot({ capability: 'IMAP4rev1 LITERAL+ ID NAMESPACE CHILDREN UIDPLUS' }),
    { cannotAnnounce: true },
  );

  imapContract('Dovecot with folders named in another language, and neither archive nor trash', () =>
    startDovecot({ specialUse: false, folders: ['Gesendete Elemente', 'Entwürfe'] }),
  );
});
