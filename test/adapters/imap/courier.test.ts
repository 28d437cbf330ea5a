import { COURIER_PROGRAMS, startCourier } from '../../servers/courier.ts';
import { imapContract } from './imap-contract.ts';

imapContract('Courier', () => startCourier(), { programs: COURIER_PROGRAMS, attachmentsAtMost: 298 });
