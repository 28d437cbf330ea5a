import { onlyLong } from '../../only-long.ts';
import { COURIER_PROGRAMS, startCourier } from '../../servers/courier.ts';
import { imapContract } from './imap-contract.ts';

const options = { programs: COURIER_PROGRAMS, attachmentsAtMost: 298 };

// It reads some words of a search, and messages of many parts, differently from other servers.
imapContract('Courier', () => startCourier(), { ...options, sections: ['reading', 'searching'] });

onlyLong('imap contract: Courier', () =>
  imapContract('Courier, in what others do alike', () => startCourier(), {
    ...options,
    sections: ['folders', 'lists', 'flags', 'changing', 'sending', 'watching', 'ending'],
  }),
);
