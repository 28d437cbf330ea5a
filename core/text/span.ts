/** A part of a text, in UTF-16 offsets. */
export interface Span {
  readonly from: number;
  readonly to: number;
}
