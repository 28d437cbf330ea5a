/**
 * The id that every message gets that a program writes, before its domain: 32 hexadecimal digits. A message in Sent with
 * such an id is not the owner's word, as long as it exists. The id of another mail program that looks the same only makes
 * its text vouch for nothing.
 */
export function newWrittenId(random: (bytes: number) => Uint8Array): string {
  return Buffer.from(random(16)).toString('hex');
}

/** @param messageId  with its angle brackets; null: it has none */
export function isWrittenByProgram(messageId: string | null): boolean {
  // A server that drops or replaces ids hides who wrote the message.
  return messageId === null || /^<[0-9a-f]{32}@/.test(messageId);
}
