import type { Clock } from '../../../core/ports/clock.ts';
import { totpCode } from '../../../core/secrets/totp.ts';
import type { Service } from '../../../core/service/service.ts';

const STEP_MS = 30_000;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** What an authenticator app does with a key. @returns the code that it shows now */
export function appWith(key: string, clock: Pick<Clock, 'now'>): () => string {
  const letters = [...key.replaceAll(' ', '')];
  const bits = letters.map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const secret = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  return () => totpCode(secret, Math.floor(clock.now().getTime() / STEP_MS));
}

/** Turns the second step on without the pages. @returns the recovery codes and the code that the app shows now */
export async function addApp(
  { service, clock }: { readonly service: Service; readonly clock: Pick<Clock, 'now'> },
  ownerId: string,
) {
  const { setup, secret } = await service.secondSteps.newApp(ownerId);
  const code = appWith(secret, clock);
  const added = await service.secondSteps.addApp(ownerId, setup, code());
  if (typeof added === 'string' || added.recoveryCodes === null) throw new Error(`it was not added`);
  return { code, setup, recoveryCodes: added.recoveryCodes };
}
