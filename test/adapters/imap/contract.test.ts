import { startDovecot } from '../../servers/dovecot.ts';
import { imapContract } from './imap-contract.ts';

imapContract('Dovecot', () => startDovecot());
