import { Buffer } from 'node:buffer';
import { textDecoder } from '../../core/mail/charset.ts';

/**
 * The maps that a PDF may name without containing them, for fonts of Chinese, Japanese and Korean (ISO
 * 32000-2, 9.7.5.2): from codes to the glyphs of an Adobe collection, and from those to Unicode. The real
 * ones take megabytes. If the codes are those of a charset, these are enough for text: they number the glyphs
 * as Unicode does.
 */
export interface CharacterMaps {
  /** For pdf.js, which requests maps, and fonts for drawing, by name. */
  readonly Factory: new () => {
    fetch(request: { readonly kind: string; readonly filename: string }): Promise<Uint8Array>;
  };
  /** The document named a map that is not here: some of its text may be lost. */
  readonly isMissing: boolean;
}

/** For one document. */
export function characterMaps(): CharacterMaps {
  /**
   * A font of this document numbers its glyphs as Unicode does. Some files declare the wrong collection for
   * it.
   */
  let isNumbered = false;
  let isMissing = false;

  function mapNamed(name: string): string | undefined {
    if (/^Adobe-(?:GB1|CNS1|Japan1|Korea1)-UCS2$/.test(name))
      return isNumbered ? GLYPHS_TO_UNICODE : undefined;
    const known = KNOWN.find(({ names }) => names.test(name));
    if (known === undefined) return undefined;
    isNumbered = true;
    const writingMode = name.endsWith('V') ? 1 : 0;
    return `/WMode ${writingMode} def\n${known.charset === undefined ? UNICODE_TO_GLYPHS : codesToGlyphs(known.charset)}`;
  }

  return {
    Factory: class {
      async fetch({
        kind,
        filename,
      }: {
        readonly kind: string;
        readonly filename: string;
      }): Promise<Uint8Array> {
        const isMap = kind === 'cMapUrl';
        const map = isMap ? mapNamed(filename) : undefined;
        isMissing ||= isMap && map === undefined;
        if (map === undefined) throw new Error(`There is no map of characters ${filename}.`);
        return Buffer.from(`begincmap\n${map}endcmap\n`, 'latin1');
      }
    },
    get isMissing() {
      return isMissing;
    },
  };
}

/** Without a charset the codes are UTF-16. */
const KNOWN: readonly { readonly names: RegExp; readonly charset?: string }[] = [
  { names: /^UniGB-(?:UCS2|UTF16)-[HV]$/ },
  { names: /^UniCNS-(?:UCS2|UTF16)-[HV]$/ },
  { names: /^UniJIS(?:2004)?-(?:UCS2|UTF16)-(?:HW-)?[HV]$/ },
  { names: /^UniKS-(?:UCS2|UTF16)-[HV]$/ },
  { names: /^(?:GB|GBpc|GBK|GBKp)-EUC-[HV]$|^GBK2K-[HV]$/, charset: 'gbk' },
  { names: /^(?:B5pc|HKscs-B5|ETen-B5|ETenms-B5)-[HV]$/, charset: 'big5' },
  { names: /^(?:83pv|90ms|90msp|90pv|Add|Ext)-RKSJ-[HV]$/, charset: 'shift_jis' },
  { names: /^EUC-[HV]$/, charset: 'euc-jp' },
  { names: /^KSC(?:ms-UHC|ms-UHC-HW|-EUC|pc-EUC)-[HV]$/, charset: 'euc-kr' },
];

const UNICODE_TO_GLYPHS =
  '1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n1 begincidrange\n<0000> <ffff> 0\nendcidrange\n';

/** In ranges that end with their last byte. */
const GLYPHS_TO_UNICODE = (() => {
  const rows = Array.from({ length: 256 }, (_, high) => {
    const row = hex(high, 2);
    return `<${row}00> <${row}ff> <${row}00>\n`;
  });
  return `1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n256 beginbfrange\n${rows.join('')}endbfrange\n`;
})();

const cache = new Map<string, string>();

/** Every code of one or two bytes that means one character. */
function codesToGlyphs(charset: string): string {
  const made = cache.get(charset) ?? allCodes(charset);
  cache.set(charset, made);
  return made;
}

function allCodes(charset: string): string {
  const decode = textDecoder(charset);
  const rows: string[] = [];
  const add = (...bytes: readonly number[]): boolean => {
    const text = decode(Buffer.from(bytes));
    if (text.length !== 1 || text === '\ufffd') return false;
    rows.push(`<${bytes.map((byte) => hex(byte, 2)).join('')}> ${text.charCodeAt(0)}\n`);
    return true;
  };
  const single: number[] = [];
  const double: number[] = [];
  for (let lead = 0; lead <= 0xff; lead++) {
    if (add(lead)) single.push(lead);
    else if (lead >= 0x80) double.push(lead);
  }
  for (const lead of double) for (let trail = 0x40; trail <= 0xfe; trail++) add(lead, trail);
  const spaces = [
    ...single.map((byte) => `<${hex(byte, 2)}> <${hex(byte, 2)}>\n`),
    ...double.map((byte) => `<${hex(byte, 2)}40> <${hex(byte, 2)}fe>\n`),
  ];
  return `${spaces.length} begincodespacerange\n${spaces.join('')}endcodespacerange\n${rows.length} begincidchar\n${rows.join('')}endcidchar\n`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
