import * as z from 'zod';

/** A folder by its exact name, or by its role. */
export const folder = z.string().min(1).max(255).meta({
  description: 'An exact folder name, or one of inbox, sent, drafts, spam, trash, archive.',
});
