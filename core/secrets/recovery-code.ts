import { base32 } from './base32.ts';
import type { Random } from './random.ts';

const RECOVERY_CODES = 10;
/** Too many bits to try them all, even with a copy of the database, so a fast hash is enough. */
const CODE_BYTES = 10;

/** Codes for an owner who has lost the second step: 16 letters and digits, without the spaces between groups. */
export function recoveryCodes(random: Random): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () => base32(random(CODE_BYTES)));
}

/** A recovery code as it was created, from what a person typed without spaces. Undefined: it is not one. */
export function readRecoveryCode(typed: string): string | undefined {
  // base32 has neither of these digits, so the letters were meant.
  const code = typed.toUpperCase().replaceAll('0', 'O').replaceAll('1', 'I');
  return /^[A-Z2-7]{16}$/.test(code) ? code : undefined;
}
