import { codePoints, sliceCodePoints } from './code-points.ts';
import { seenText } from './seen-text.ts';

/** The part of a text to return, in code points of the text as a person sees it. */
export interface TextWindow {
  readonly from: number;
  readonly most: number;
}

export interface SeenBody {
  /** The text inside the window, as a person sees it. */
  readonly text: string;
  /** Length of the whole text as a person sees it, in code points. */
  readonly chars: number;
}

/** The text that is counted is the text that is shown. */
export function seenBody(text: string, { from, most }: TextWindow): SeenBody {
  const seen = seenText(text);
  return { text: sliceCodePoints(seen, from, most), chars: codePoints(seen) };
}
