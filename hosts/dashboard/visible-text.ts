import { codeOf, spelled, UNSEEN } from '../../core/text/seen-text.ts';

/**
 * Makes third-party text safe to read: nothing in it can hide, or reverse the text around it.
 * Pure.
 */

export interface Piece {
  readonly text: string;
  /** `U+202E` if the piece is one invisible character; undefined for visible text. */
  readonly unseen: string | undefined;
}

/** Splits the text into pieces; joined in order they give the same text. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: character, index } of text.matchAll(UNSEEN)) {
    if (index > end) pieces.push({ text: text.slice(end, index), unseen: undefined });
    pieces.push({ text: character, unseen: codeOf(character) });
    end = index + character.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), unseen: undefined });
  return pieces;
}

/** Splits pieces where a text is cut. @param cuts  ascending offsets into the whole text */
export function splitPieces(pieces: readonly Piece[], cuts: readonly number[]): Piece[][] {
  const groups: Piece[][] = [[]];
  let at = 0;
  let next = 0;
  for (const { text, unseen } of pieces) {
    let rest = text;
    for (let cut = cuts[next]; cut !== undefined && cut < at + rest.length; cut = cuts[next]) {
      const head = rest.slice(0, Math.max(0, cut - at));
      if (head !== '') groups.at(-1)?.push({ text: head, unseen });
      groups.push([]);
      rest = rest.slice(head.length);
      at += head.length;
      next++;
    }
    if (rest !== '') groups.at(-1)?.push({ text: rest, unseen });
    at += rest.length;
  }
  for (; next < cuts.length; next++) groups.push([]);
  return groups;
}

/** Replaces every invisible character with its code: `⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, spelled);
}
