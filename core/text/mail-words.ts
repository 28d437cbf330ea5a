import data from './mail-words.json' with { type: 'json' };

/** What mail programs write in some languages, as parts of patterns. */
export const MAIL_WORDS = {
  /** Before the subject of an answer or a forward. */
  answerPrefixes: alternatives(data.answerPrefixes),
  /** The first header of a forwarded message. */
  from: alternatives(data.from),
  /** How an introduction says that somebody wrote what follows. */
  wrote: alternatives(data.wrote),
};

function alternatives(words: readonly string[]): string {
  return `(?:${words.join('|')})`;
}
