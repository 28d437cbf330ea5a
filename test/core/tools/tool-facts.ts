import * as z from 'zod';

/** What the definition of a tool needs besides its output and its work. */

const facts = {
  title: '',
  words: { verb: '', past: '' },
  description: '',
  errors: [],
  input: z.strictObject({}),
} as const;

export const READ = { ...facts, name: 'a_read', group: null, kind: 'read' } as const;
export const WRITE = { ...facts, name: 'a_write', group: 'mail:send', action: null } as const;
