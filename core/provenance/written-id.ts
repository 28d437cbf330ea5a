/**
 * The part before the `@` in the Message-ID of a message that a program writes: 32 hexadecimal digits. A message in
 * Sent with such an id never counts as the owner's word. If another mail program's ids look the same, its messages just
 * do not count as the owner's word either.
 */
export function newWrittenId(random: (bytes: number) => Uint8Array): string {
  return Buffer.from(random(16)).toString('hex');
}

/** @param messageId  with its angle brackets. @returns undefined unless a program wrote the message */
export function writtenIdOf(messageId: string): string | undefined {
  return /^<([0-9a-f]{32})@/.exec(messageId)?.[1];
}

/** @param messageId  with its angle brackets; null: it has none */
export function isWrittenByProgram(messageId: string | null): boolean {
  // A server that drops or replaces ids hides who wrote the message.
  return messageId === null || writtenIdOf(messageId) !== undefined;
}
