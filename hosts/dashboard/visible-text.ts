import { codeOf, spelled, UNSEEN } from '../../core/seen-text.ts';

/**
 * Third-party text for a person's eyes: nothing in it may hide, or turn what stands beside it around.
 * Pure.
 */

export interface Piece {
  readonly text: string;
  /** `U+202E` where the piece is one character that does not show; undefined where it is text that does. */
  readonly unseen: string | undefined;
}

/** The text in pieces, in order; together they are the text again. */
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

/** The text with every character that does not show spelled out: `⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, spelled);
}
