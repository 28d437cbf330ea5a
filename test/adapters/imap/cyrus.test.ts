import { CYRUS_PROGRAMS, startCyrus } from '../../servers/cyrus.ts';
import { imapContract } from './imap-contract.ts';

imapContract('Cyrus', startCyrus, { programs: CYRUS_PROGRAMS, joinsItself: true });
