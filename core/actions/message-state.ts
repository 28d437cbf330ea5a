import * as z from 'zod';

/** The states that a key can give to messages. */
export const messageState = z.enum(['read', 'unread', 'flagged']);
export type MessageState = z.infer<typeof messageState>;
