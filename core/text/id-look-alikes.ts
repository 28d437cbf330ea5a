/** How the ids of messages begin, in letters of any case and width. */
const ID_LIKE = /[mｍ][1１][_＿](?=\p{Nd})/giu;

/** Changes what looks like the id of a message: on a line that begins with an id, nobody else may write one. */
export function withoutIds(text: string): string {
  return text.replace(ID_LIKE, 'm1-');
}
