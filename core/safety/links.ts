/** Links in plain text that say one place and lead to another. Pure; every pattern is bounded. */

/** Text and target: `[text](target)`, `text <target>`, `text (target)`, `text [target]`, `<a href="target">text</a>`. */
const LINKS = [
  /\[(?<text>[^\][]{1,500})\]\(\s{0,3}<?(?<target>[^\s()<>]{1,2000})/gu,
  /(?<![^\s<>()[\]"'])(?<text>[^\s<>()[\]"']{3,500})["']?\s{0,3}[<([]\s{0,3}(?<target>(?:https?:\/\/|mailto:|www\.)[^\s<>()[\]]{1,2000})/giu,
  /<a\s[^<>]{0,500}?href\s{0,3}=\s{0,3}["']?(?<target>[^\s"'<>]{1,2000})[^<>]{0,500}>(?<text>[^<]{1,500})</giu,
];

/** A URL whose address begins with the name of another host: `https://bank.example@evil.example/`. */
const DISGUISED = /\bhttps?:\/\/[^\s/@<>?#]{0,200}\.[^\s/@<>?#]{1,200}@/iu;

export function holdsMisleadingLink(text: string): boolean {
  if (DISGUISED.test(text)) return true;
  return LINKS.some((pattern) =>
    Array.from(text.matchAll(pattern)).some(({ groups }) =>
      misleads(groups?.text ?? '', groups?.target ?? ''),
    ),
  );
}

function misleads(text: string, target: string): boolean {
  const said = placeIn(text);
  const meant = placeIn(target);
  return said !== undefined && meant !== undefined && !leadsThere(said, meant);
}

/** A host with its subdomains is one place. */
function leadsThere(said: string, meant: string): boolean {
  return said === meant || meant.endsWith(`.${said}`);
}

const PLACE = new RegExp(
  [
    '^\\W{0,3}(?:mailto:)?[^\\s@/:]{1,64}@(?<mailHost>[^\\s@/:?]{1,253})',
    '(?:^|\\s)\\W{0,3}https?:[\\\\/]{2}(?:[^\\s/@?#]{0,200}@)?(?<urlHost>[^\\s/?#:\\\\]{1,253})',
    '(?:^|\\s)\\W{0,3}(?<bareHost>(?:[\\p{L}\\p{N}-]{1,63}\\.){1,10}(?<top>\\p{L}{2,63}|xn--[\\w-]{1,59}))(?=[\\s/:?#.,;!]|$)',
  ].join('|'),
  'iu',
);

/** Names with a dot that are those of files and not of hosts. */
const FILE_ENDINGS = new Set(
  'pdf doc docx xls xlsx ppt pptx odt ods odp rtf txt csv md html htm xml json yaml yml js ts jsx tsx css py rb go rs java c h cpp sh zip gz tar png jpg jpeg gif svg webp mp3 mp4 mov eml ics exe dmg'.split(
    ' ',
  ),
);

/** The host that a text names, as a URL, by itself or of an address; undefined where it names none. */
function placeIn(text: string): string | undefined {
  const { mailHost, urlHost, bareHost, top = '' } = PLACE.exec(text.trim())?.groups ?? {};
  const named = mailHost ?? urlHost;
  if (named !== undefined) return hostName(named);
  if (bareHost === undefined) return undefined;
  const isFile = FILE_ENDINGS.has(top.toLowerCase()) && !/^www\./i.test(bareHost);
  return isFile ? undefined : hostName(bareHost);
}

function hostName(host: string): string {
  return host
    .toLowerCase()
    .replace(/^www\./, '')
    .replace(/\W+$/, '');
}
