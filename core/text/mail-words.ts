import * as z from 'zod';
import data from './mail-words.json' with { type: 'json' };

/** What mail programs write in some languages, as parts of patterns. */

const alternatives = z.array(z.string().regex(/^[\p{L} ]+$/u)).transform((words) => `(?:${words.join('|')})`);

export const MAIL_WORDS = z
  .strictObject({
    /** Before the subject of an answer or a forward. */
    answerPrefixes: alternatives,
    /** The first header of a forwarded message. */
    from: alternatives,
    /** How an introduction says that somebody wrote what follows. */
    wrote: alternatives,
  })
  .parse(data);
