/** The text of a document while it is collected, never longer than MAX_CHARS. */
export interface BoundedText {
  write(text: string): void;
  /** One space in front of what is written next, unless that is a TAB or a line end. */
  space(): void;
  /** Nothing more fits: a reader may stop. */
  readonly full: boolean;
  /** Nothing but white space has been written, and nothing is hidden. */
  readonly blank: boolean;
  /** Something of the document could not be read, or does not fit. */
  incomplete(): void;
  /** Something that a person would not see has been left out. */
  leftOutHidden(): void;
  /** It is the text of a preview, and the document itself cannot be read. */
  onlyPreview(): void;
  /** Nothing says how the text is encoded: it was read in the charset that is most likely. */
  guessedCharset(name: string): void;
  /** @returns lines that end in LF and hold no control characters but TAB */
  finish(): { text: string; cut: boolean };
}

/** UTF-16 code units, so no more code points than that. */
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
