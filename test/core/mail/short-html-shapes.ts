/** HTML whose work grows faster than its length without limits. `bytes`: the size to generate. */
export const SHAPES: Readonly<Record<string, (bytes: number) => string>> = {
  'short elements': (bytes) => filled(bytes, '', '<i>x</i>'),
  'elements in elements': (bytes) => filled(bytes, '', '<b>'),
  'elements that are opened again': (bytes) => filled(bytes, '<b a><i a><u a><s a>'.repeat(20), '<p>x</p>'),
  'attributes that are opened again': (bytes) =>
    filled(bytes, `<p><b ${numbered(bytes / 12, (n) => `a${n}`).join(' ')}>`, 'x</p><p>'),
  'classes that are opened again': (bytes) =>
    filled(bytes, `<style>*{left:1px}</style><p><b class="${'a '.repeat(bytes / 4)}">`, 'x</p><p>'),
  'a long link that is opened again': (bytes) =>
    filled(bytes, `<p><a href="${'a'.repeat(bytes / 2)}">`, 'x</p><p>'),
  'styles that are opened again': (bytes) =>
    filled(bytes, `<p><b style="${'left:1px;top:1px;'.repeat(bytes / 40)}">`, 'x</p><p>'),
  'tags that close others': (bytes) => filled(bytes, '<b a=1><i b=2>'.repeat(bytes / 30), '</b>'),
  'tags in the wrong order': (bytes) => filled(bytes, '', '<a><b><p></a>'),
  'links in links': (bytes) => filled(bytes, '', '<a href=x><object>'),
  'rules for every element': (bytes) => inHalves(bytes, '*{left:0}', '<i>x</i>'),
  'selectors of descendants': (bytes) => inHalves(bytes, 'b b b b b b c b{left:0}', '<b>'),
  'selectors of siblings': (bytes) => inHalves(bytes, 'i~i~i~c~i{left:0}', '<i>x</i>'),
  'selectors of places': (bytes) => inHalves(bytes, ':nth-of-type(2n+1){left:0}', '<i>x</i>'),
  'selectors of contents': (bytes) => inHalves(bytes, ':has(c){left:0}', '<b>'),
  'nested rules': (bytes) =>
    `<style>${'.a,.b,.c{& &,& &{'.repeat(bytes / 40)}left:1px</style>${filled(bytes / 2, '', '<b class=a>')}`,
  'broken strings': (bytes) => filled(bytes, '<style>', '"\n'),
  'broken strings in styles': (bytes) => filled(bytes, '', `<b style='"\n"\n"\n"\n'>`),
  'escapes of nothing': (bytes) => filled(bytes, '<style>', '\\\n'),
  'media queries': (bytes) => filled(bytes, '<style>', `@media ${'('.repeat(40)}hover{a{left:0}}`),
  'calc() for every element': (bytes) =>
    filled(
      bytes,
      everywhere((name) => `${name}:calc(${'(1px + 2px) * '.repeat(30)}1)`),
      '<b>x',
    ),
  'calc() of its own': (bytes) =>
    filled(bytes, '', '<b style="left:calc(1px + 2px);top:calc(1px + 2px);margin:calc(1px + 2px)">'),
  colours: (bytes) => filled(bytes, '', '<b style="color:color-mix(in oklch,red,blue)">'),
  gradients: (bytes) =>
    filled(
      bytes,
      `<style>*{background:linear-gradient(${numbered(16, (n) => `rgb(${n} 9 9/.5)`).join(',')})}</style>`,
      '<b>x',
    ),
  'variables for every element': (bytes) =>
    filled(
      bytes,
      everywhere((name) => `${name}:${'var(--a)'.repeat(60)}`),
      '<b>x',
    ),
  'variables of variables': (bytes) =>
    filled(
      bytes,
      `<style>p{${numbered(30, (n) => `--v${n}:${`var(--v${n + 1})`.repeat(20)};`).join('')}color:var(--v0)}</style>`,
      '<p>x',
    ),
  'variables in place of variables': (bytes) =>
    filled(bytes, `<style>*{color:${'var(--q,'.repeat(60)};left:${'var(--q,'.repeat(60)}}</style>`, '<b>x'),
  'long values': (bytes) =>
    filled(
      bytes,
      everywhere((name) => `${name}:${'a b '.repeat(120)}`),
      '<b>x',
    ),
  'long lists': (bytes) => filled(bytes, '<ol>', '<li>x'),
};

const PROPERTIES =
  'left top right bottom width height margin-left font-size filter transform clip-path'.split(' ');

function everywhere(declaration: (property: string) => string): string {
  return `<style>*{${PROPERTIES.map(declaration).join(';')}}</style>`;
}

function numbered(count: number, each: (n: number) => string): string[] {
  return Array.from({ length: Math.floor(count) }, (_, n) => each(n));
}

function filled(bytes: number, head: string, unit: string): string {
  return head + unit.repeat(Math.max(0, (bytes - head.length) / unit.length));
}

function inHalves(bytes: number, rule: string, element: string): string {
  return `<style>${rule.repeat(bytes / 2 / rule.length)}</style>${filled(bytes / 2, '', element)}`;
}
