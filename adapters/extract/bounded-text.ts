/** Collects the text of a document, never more than MAX_CHARS. */
export interface BoundedText {
  write(text: string): void;
  /** Writes one space before the next text, unless that is a TAB or a line end. */
  space(): void;
  /** Nothing more fits: a reader may stop. */
  readonly full: boolean;
  /** Only white space has been written, and nothing is hidden. */
  readonly blank: boolean;
  /** Records that a part of the document could not be read, or does not fit. */
  incomplete(): void;
  /** Records that text which a person would not see was left out. */
  leftOutHidden(): void;
  /** Records that it is the text of a preview, because the document itself cannot be read. */
  onlyPreview(): void;
  /** Records that the text does not declare its encoding: it was read in the most likely charset. */
  guessedCharset(name: string): void;
  /** @returns lines that end in LF, with no control characters except TAB */
  finish(): { text: string; cut: boolean };
}

/** UTF-16 code units, so there are at most as many code points. */
const MAX_CHARS = 2_000_000;
const HIDDEN = '[Hidden text of this document is left out.]';
const PREVIEW = '[This is the preview that the file holds of itself. It may show the first page only.]';
const guess = (charset: string) =>
  `[This file does not say how its text is encoded. It was read as ${charset}, which is a guess.]`;

export function boundedText(): BoundedText {
  let collected = '';
  let cut = false;
  let spaced = false;
  let hidden = false;
  let preview = false;
  let charset: string | undefined;
  return {
    write(text) {
      if (text === '') return;
      const added = spaced && !/^[\t\n]/.test(text) ? ` ${text}` : text;
      spaced = false;
      const left = MAX_CHARS - collected.length;
      collected += added.slice(0, left);
    },
    space() {
      spaced = true;
    },
    get full() {
      return collected.length === MAX_CHARS;
    },
    get blank() {
      return !hidden && collected.trim() === '';
    },
    incomplete() {
      cut = true;
    },
    leftOutHidden() {
      hidden = true;
    },
    onlyPreview() {
      preview = true;
    },
    guessedCharset(name) {
      charset = name;
    },
    finish() {
      const text = printable(collected);
      const notes = [
        ...(hidden ? [HIDDEN] : []),
        ...(preview && text.trim() !== '' ? [PREVIEW] : []),
        ...(charset === undefined || text.trim() === '' ? [] : [guess(charset)]),
      ];
      return {
        text: notes.length > 0 ? [text.trimEnd(), ...notes].join('\n\n').trimStart() : text,
        // A reader stops when it is full.
        cut: cut || collected.length === MAX_CHARS,
      };
    },
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are left out
const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]|^\ufeff/g;

function printable(text: string): string {
  return text
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .replace(CONTROLS, '')
    .replace(/\p{Surrogate}/gu, '\ufffd');
}
