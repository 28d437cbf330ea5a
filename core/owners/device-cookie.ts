import { createHash } from 'node:crypto';
import { normalAddress } from '../contract/schema.ts';
import { secretHash } from '../keys/credential.ts';
import type { Keyring } from '../secrets/keyring.ts';

/**
 * The value of a device cookie is sealed. It holds the device's id and the email it signed in with, so a forged one is
 * recognised without the store.
 */
const DEVICE_PURPOSE = 'device';
export const DEVICE_ID_BYTES = 16;
const DEVICE_VALUE_CHARS_MAX = 100;

export function deviceValue(keyring: Keyring, email: string, id: Uint8Array): string {
  const sealed = keyring.sealFixed(DEVICE_PURPOSE, Buffer.concat([id, emailMark(email)]));
  return Buffer.from(sealed).toString('base64url');
}

/** @returns the device's id; undefined unless the value was issued to a browser that signed in with this email */
export function readDevice(
  keyring: Keyring,
  email: string,
  value: string | undefined,
): Uint8Array | undefined {
  if (value === undefined || value.length > DEVICE_VALUE_CHARS_MAX) return undefined;
  const bytes = keyring.openFixed(DEVICE_PURPOSE, Buffer.from(value, 'base64url'))?.bytes;
  if (bytes === undefined || !emailMark(email).equals(bytes.subarray(DEVICE_ID_BYTES))) return undefined;
  return bytes.subarray(0, DEVICE_ID_BYTES);
}

function emailMark(email: string): Buffer {
  return createHash('sha256').update(normalAddress(email), 'utf8').digest().subarray(0, 16);
}

/** What the store keeps of a device's id. */
export function deviceHash(device: Uint8Array): string {
  return secretHash(Buffer.from(device).toString('base64url'));
}
