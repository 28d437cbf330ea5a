import { Buffer } from 'node:buffer';
import { textDecoder } from '../mail/charset.ts';
import { codePageCharset, fontCharset, SYMBOL } from './code-page.ts';

/** The state of a group (Rich Text Format 1.9.1). It ends with the group, so groups are kept on a stack. */
interface Group {
  /** A font table, a picture or properties: not text. */
  skipped: boolean;
  hidden: boolean;
  /** Half points. */
  fontSize: number;
  /** How to read `\'hh`. Undefined: by the code page of the document. */
  letters: Letters | undefined;
  /** The number of fallback characters after each `\u`, for programs that do not know it. */
  fallbackChars: number;
  inFontTable: boolean;
  inNote: boolean;
  inTable: boolean;
  /** A fallback for programs that do not read the HTML in the RTF. */
  besideHtml: boolean;
}

/** Reads the bytes of a font, or of the code page. */
interface Letters {
  readonly decode: (bytes: Buffer) => string;
  /** A character may have two bytes. */
  readonly isMultibyte: boolean;
}

/** Receives the text. */
export interface RtfSink {
  /** Whether the limit is reached. Then the reader stops. */
  readonly full: boolean;
  write(text: string): void;
  /** Puts one space before the next text, unless that starts with white space. */
  space(): void;
  /** Reports that invisible text was left out. */
  leftOutHidden(): void;
}

const latin = textDecoder('windows-1252');

const MAX_DEPTH = 10_000;
const MAX_NOTES_CHARS = 1_000_000;

/** The default size in half points, and the size below which letters are only dots. */
const FONT_SIZE = 24;
const READABLE_SIZE = 5;

/** Control words with a value, `\'hh`, control symbols, braces, and runs of text. Line breaks have no meaning. */
const TOKEN =
  /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)|\\/gy;

const SKIPPED = new Set([
  ...['fonttbl', 'colortbl', 'stylesheet', 'listtable', 'listoverridetable', 'revtbl', 'rsidtbl', 'info'],
  ...['generator', 'pict', 'object', 'objdata', 'fldinst', 'themedata', 'colorschememapping', 'datastore'],
  ...['latentstyles', 'xmlnstbl', 'filetbl', 'pgptbl', 'mmathPr', 'nonshppict', 'bkmkstart', 'bkmkend'],
  ...['xe', 'tc', 'deleted', 'sp', 'shprslt', 'nonesttables'],
]);

/** Groups whose text stands in the middle of a paragraph, even of a word. It is shown after the paragraph. */
const NOTES = new Set(['annotation', 'footnote']);

/** Groups that start with `\\*`, so that programs may skip them, but contain text: shapes and comments. */
const SHOWN_ALTHOUGH_OPTIONAL = new Set(['shpinst', 'do', 'annotation']);

const CHARACTERS: Readonly<Record<string, string>> = {
  par: '\n',
  line: '\n',
  sect: '\n',
  page: '\n',
  row: '\n',
  nestrow: '\n',
  cell: '\t',
  nestcell: '\t',
  tab: '\t',
  emdash: '—',
  endash: '–',
  emspace: ' ',
  enspace: ' ',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
};

const SYMBOLS: Readonly<Record<string, string>> = {
  '\\': '\\',
  '{': '{',
  '}': '}',
  '~': '\u00a0',
  _: '-',
  '\n': '\n',
  '\r': '\n',
};

/** The symbols that lists begin with. */
const BULLETS: Readonly<Record<number, string>> = {
  108: '●',
  110: '■',
  113: '❑',
  118: '❖',
  159: '•',
  167: '▪',
  168: '◻',
  183: '•',
  216: '➢',
  252: '✓',
};

/**
 * Reads RTF in one pass.
 * @param form `html`: the HTML that the RTF was made from (MS-OXRTFEX 2.2)
 * @returns false if groups are nested too deeply; then the rest is not read
 */
export function readRtf(bytes: Uint8Array, out: RtfSink, form: 'text' | 'html' = 'text'): boolean {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const fonts = new Map<number, Letters>();
  let codePage = lettersOf('windows-1252');
  let font = 0;
  let group: Group = {
    skipped: false,
    hidden: false,
    fontSize: FONT_SIZE,
    letters: undefined,
    fallbackChars: 1,
    inFontTable: false,
    inNote: false,
    inTable: false,
    besideHtml: false,
  };
  const outer: Group[] = [];
  /** The number of fallback characters still to skip. */
  let toLeaveOut = 0;
  /** The group has just started: only here does `\*` make the whole group optional. */
  let groupBegins = false;
  /** The next word names the content of the optional group. */
  let isOptional = false;
  /** Bytes of `\'hh`. Two of them may be one character. */
  let pending: number[] = [];

  /** The notes of this paragraph. */
  let notes = '';

  const write = (text: string) => {
    if (group.skipped || group.besideHtml) return;
    if (form === 'html') out.write(text);
    else if (group.hidden || group.fontSize < READABLE_SIZE) {
      if (text.trim() !== '') out.leftOutHidden();
    } else if (group.inNote && notes.length < MAX_NOTES_CHARS) notes += text;
    else {
      if (text === '\n') writeNotes();
      out.write(text);
    }
  };
  const writeNotes = () => {
    const shown = notes.trim().replace(/\s+/g, ' ');
    notes = '';
    if (shown !== '') out.write(` [${shown}]`);
  };
  const letters = () => group.letters ?? codePage;
  const flush = () => {
    if (pending.length === 0) return;
    write(letters().decode(Buffer.from(pending)));
    pending = [];
  };

  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(source); token !== null && !out.full; token = TOKEN.exec(source)) {
    const [, word, digits, hex, symbol, brace, run] = token;
    // Line breaks have no meaning.
    if (token[0].trim() === '' && run === undefined) continue;
    const begins = groupBegins;
    groupBegins = brace === '{';
    if (hex !== undefined) {
      if (toLeaveOut > 0) toLeaveOut--;
      else if (!group.skipped) pending.push(Number.parseInt(hex, 16));
      continue;
    }
    if (run !== undefined) {
      const shown = run.slice(toLeaveOut);
      toLeaveOut -= run.length - shown.length;
      if (shown === '') continue;
      // The second byte of a character may be unescaped.
      const joins = pending.length > 0 && letters().isMultibyte;
      if (joins) pending.push(shown.charCodeAt(0));
      flush();
      if (!group.skipped) write(letters().decode(Buffer.from(joins ? shown.slice(1) : shown, 'latin1')));
      continue;
    }
    flush();
    if (brace === '{') {
      if (outer.push({ ...group }) > MAX_DEPTH) return false;
      toLeaveOut = 0;
    } else if (brace === '}') {
      group = outer.pop() ?? group;
      toLeaveOut = 0;
    } else if (symbol !== undefined) {
      if (symbol === '*') isOptional = begins;
      else if (toLeaveOut > 0) toLeaveOut--;
      else write(SYMBOLS[symbol] ?? '');
    } else if (word !== undefined) {
      const value = digits === undefined ? undefined : Number(digits);
      const isHtml = form === 'html' && word === 'htmltag';
      if (isOptional && !isHtml && !SHOWN_ALTHOUGH_OPTIONAL.has(word)) group.skipped = true;
      isOptional = false;
      if (NOTES.has(word) && form === 'text') {
        // Notes of one paragraph are shown in one pair of brackets.
        if (notes !== '') notes += ' ';
        group.inNote = true;
      }
      if (word === 'bin') {
        TOKEN.lastIndex += Math.max(0, value ?? 0);
      } else if (word === 'u' && value !== undefined) {
        write(unicode(value & 0xffff));
        toLeaveOut = group.fallbackChars;
      } else if (word === 'uc') {
        group.fallbackChars = Math.min(Math.max(0, value ?? 1), 100);
      } else if (word === 'ansicpg' && value !== undefined) {
        codePage = lettersOf(codePageCharset(value));
      } else if (word === 'mac' && !group.skipped) {
        codePage = lettersOf('macintosh');
      } else if (word === 'fonttbl') {
        group.inFontTable = true;
        group.skipped = true;
      } else if (word === 'f' && value !== undefined) {
        font = value;
        if (!group.inFontTable) group.letters = fonts.get(font);
      } else if (word === 'fcharset' && group.inFontTable) {
        const charset = fontCharset(value ?? 0);
        if (charset !== undefined && fonts.size < 10_000) fonts.set(font, lettersOf(charset));
      } else if (word === 'pard' || word === 'intbl') {
        group.inTable = word === 'intbl';
      } else if (word === 'htmlrtf' && form === 'html') {
        group.besideHtml = value !== 0;
      } else if (word === 'par' && group.inTable && form === 'text') {
        out.space();
      } else if (word === 'plain') {
        group.hidden = false;
        group.fontSize = FONT_SIZE;
        group.letters = undefined;
      } else if (word === 'fs') {
        group.fontSize = value ?? FONT_SIZE;
      } else if (word === 'v') {
        group.hidden = value !== 0;
      } else if (SKIPPED.has(word) && value !== 0) {
        group.skipped = true;
      } else {
        write(CHARACTERS[word] ?? '');
      }
    }
  }
  flush();
  writeNotes();
  return true;
}

function lettersOf(charset: string): Letters {
  const decode = charset === SYMBOL ? symbols : textDecoder(charset);
  return { decode, isMultibyte: /^(?:shift_jis|euc-kr|gbk|big5)$/.test(charset) };
}

/** A letter in a font of symbols is a picture, but typed text may be in such a font by mistake. */
function symbols(bytes: Buffer): string {
  return Array.from(bytes, (byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : (BULLETS[byte] ?? latin(Buffer.of(byte))),
  ).join('');
}

/** Word gives the characters of such fonts numbers for private use. */
function unicode(code: number): string {
  const isSymbol = code >= 0xf020 && code <= 0xf0ff;
  return (isSymbol ? BULLETS[code & 0xff] : undefined) ?? String.fromCharCode(code);
}
