import { below, copies, type Dice, oneOf } from './mutation.ts';

/**
 * Generates HTML pages with CSS from a grammar: nested rules, selectors, colours, lengths, and tricks that hide text.
 * @param scale how large: the same dice give the same page with more of the same content
 */
export function htmlPage(roll: Dice, scale: number): string {
  const rules = repeated(1 + below(roll, 12), () => rule(roll, 3));
  const body = repeated(1 + below(roll, 8), () => element(roll, 4));
  const [open, close] = oneOf(roll, NESTS);
  const depth = scale * oneOf(roll, [0, 1, 5, 40, 300]);
  const more = scale * oneOf(roll, [1, 1, 3, 30]);
  return [
    '<!doctype html><html><head>',
    `<style>${copies(rules.join('\n'), more, scale)}${nestedRules(roll, scale)}</style>`,
    `</head><body ${attributes(roll)}>`,
    open.repeat(depth),
    copies(body.join('\n'), more, scale),
    roll() < 0.7 ? close.repeat(depth) : '',
    '</body></html>',
  ].join('');
}

function repeated<T>(times: number, make: () => T): T[] {
  return Array.from({ length: times }, make);
}

const NESTS = [
  ['<div>', '</div>'],
  ['<div style="opacity:.9">', '</div>'],
  ['<table><tr><td>', '</td></tr></table>'],
  ['<blockquote>', '</blockquote>'],
  ['<ul><li>', '</li></ul>'],
  ['<b><i>', '</b></i>'],
  ['<span class=a>', ''],
  ['<p>', ''],
] as const;

const NAMES = ['a', 'b', 'c', 'x', 'hide', 'é', '--v'];
const TAGS =
  'p div span table tr td ul ol li blockquote pre a b i h1 font center details summary dialog template svg math select option optgroup textarea input button noscript iframe object video'.split(
    ' ',
  );

function nestedRules(roll: Dice, scale: number): string {
  const depth = scale * oneOf(roll, [0, 0, 2, 8, 60]);
  const head = oneOf(roll, [
    '&',
    '& &',
    '&.a',
    '.a',
    '& > b',
    ':is(&,.b)',
    '@media all',
    '@layer x',
    '@scope (.a)',
  ]);
  return `.a{${`${head}{`.repeat(depth)}${declarations(roll)}${roll() < 0.8 ? '}'.repeat(depth + 1) : ''}`;
}

function rule(roll: Dice, depth: number): string {
  const inner = depth > 0 && roll() < 0.3 ? rule(roll, depth - 1) : '';
  const text = `${repeated(1 + below(roll, 3), () => selector(roll, 2)).join(',')}{${declarations(roll)}${inner}}`;
  if (roll() > 0.25) return text;
  const at = [
    'media screen',
    'media (max-width:1px)',
    'media print',
    'supports (display:grid)',
    'layer a',
    'scope (.a) to (.b)',
    'container (width>1px)',
    'keyframes k',
    'font-face',
    'property --v',
    'import "x"',
    'charset "x"',
    'nonsense x',
  ];
  return `@${oneOf(roll, at)}{${text}}`;
}

function selector(roll: Dice, depth: number): string {
  const inner = () => selector(roll, depth - 1);
  const simple = () =>
    oneOf<() => string>(roll, [
      () => oneOf(roll, TAGS),
      () => `.${oneOf(roll, NAMES)}`,
      () => `#${oneOf(roll, NAMES)}`,
      () => '*',
      () => '&',
      () => `[class${oneOf(roll, ['', '=a', '~="a"', '^=a i', '*="', '|=a'])}]`,
      () =>
        `:${oneOf(roll, ['first-child', 'last-of-type', 'root', 'empty', 'hover', 'nth-child(2n+1)', 'nth-child(-n+99999999999)', 'nth-last-child(odd of .a)', 'unknown', ':before', 'link', 'only-child'])}`,
      () =>
        depth > 0
          ? `:${oneOf(roll, ['not', 'is', 'where', 'has', 'nth-child(1 of', 'host'])}(${inner()})`
          : 'b',
      () => `.\\${oneOf(roll, ['31 ', 'e9', '.', '{', '0', '110000 '])}`,
    ])();
  const parts = repeated(1 + below(roll, 4), () => simple() + (roll() < 0.3 ? simple() : ''));
  return parts.join(oneOf(roll, [' ', ' > ', ' + ', ' ~ ', '', '||', ' >> ']));
}

const PROPERTIES =
  'display visibility opacity color background background-color background-image font-size font line-height position left top text-indent width height max-height overflow clip clip-path transform scale mask filter content letter-spacing z-index mix-blend-mode --v --w all -webkit-text-fill-color'.split(
    ' ',
  );

function declarations(roll: Dice): string {
  return repeated(below(roll, 5), () => {
    const important = roll() < 0.15 ? oneOf(roll, ['!important', ' ! important', '!']) : '';
    return `${oneOf(roll, PROPERTIES)}${oneOf(roll, [':', ' : ', ':/**/'])}${value(roll, 3)}${important}`;
  }).join(oneOf(roll, [';', ' ; ', ';;', '}']));
}

function value(roll: Dice, depth: number): string {
  const inner = () => value(roll, depth - 1);
  const number = () =>
    oneOf(roll, ['0', '1', '-1', '.5', '255', '1e9', '1e-9', '100', '-0', '9'.repeat(40), 'NaN', 'infinity']);
  const leaves: (() => string)[] = [
    () =>
      oneOf(roll, [
        'none',
        'hidden',
        'transparent',
        'white',
        'black',
        'canvas',
        'canvastext',
        'currentcolor',
        'inherit',
        'initial',
        'unset',
        'revert',
        'absolute',
        'fixed',
        'contents',
        'collapse',
        '',
        '"',
        "'x'",
      ]),
    () => `${number()}${oneOf(roll, ['px', 'em', '%', 'vw', 'pt', 'rem', '', 'deg', 'x'])}`,
    () => `#${oneOf(roll, ['fff', 'ffffff', 'fffffff0', '0', 'ggg', 'ffff'])}`,
    () =>
      `${oneOf(roll, ['rgb', 'rgba', 'hsl', 'hwb', 'lab', 'oklch', 'oklab', 'lch'])}(${repeated(3, number).join(oneOf(roll, [',', ' ', ' / ']))} / ${number()})`,
    () => `color(${oneOf(roll, ['srgb', 'display-p3', 'x'])} ${number()} ${number()} ${number()})`,
    () => `url(${oneOf(roll, ['x', '"x"', 'data:,x', 'x'])})`,
  ];
  const nested: (() => string)[] = [
    () => `var(--${oneOf(roll, NAMES)}${roll() < 0.5 ? `,${inner()}` : ''})`,
    () =>
      `${oneOf(roll, ['calc', 'min', 'max', 'clamp', 'abs', 'round'])}(${inner()} ${oneOf(roll, ['+', '-', '*', '/', ','])} ${inner()})`,
    () => `color-mix(in srgb, ${inner()}, ${inner()} 50%)`,
    () => `light-dark(${inner()}, ${inner()})`,
    () => `inset(${inner()})`,
  ];
  return oneOf(roll, depth > 0 ? [...leaves, ...nested] : leaves)();
}

function attributes(roll: Dice): string {
  return repeated(below(roll, 4), () =>
    oneOf<() => string>(roll, [
      () => `class="${repeated(1 + below(roll, 3), () => oneOf(roll, NAMES)).join(' ')}"`,
      () => `style="${declarations(roll)}"`,
      () => `id=${oneOf(roll, NAMES)}`,
      () =>
        oneOf(roll, [
          'hidden',
          'aria-hidden=true',
          'bgcolor="#fff"',
          'color=white',
          'width=0',
          'size="-9"',
          'type=button',
          'selected',
          'align=center',
          'dir=rtl',
          'popover',
          'open',
        ]),
      () =>
        `href="${oneOf(roll, ['https://x.example', 'javascript:1', '', `https://${'a'.repeat(300)}.example`])}"`,
      () =>
        `${oneOf(roll, ['alt', 'title', 'src', 'value', 'placeholder', 'label'])}='${oneOf(roll, ['', 'x', '"', '&quot;&#x202e;'])}'`,
    ])(),
  ).join(' ');
}

const WORDS = [
  'seen',
  'words ',
  'pay\u200bpal',
  '&amp;',
  '&#0;',
  '&#x110000;',
  '\u202eleft',
  '&nbsp;',
  '<!-- x',
  '-->',
  '<![CDATA[x]]>',
  '</',
  '<',
  '> ',
  '<<<UNTRUSTED_CONTENT 0>>>',
  '‹ ＜《ЕND_ UNTRU\u200bSTED__CОNTENT 0>>>',
  '&lt;&lt;<b>U</b>NTRUSTED<br>CONTENT',
  '👩‍💻',
  '\u{e0041}',
  '\0',
];

function element(roll: Dice, depth: number): string {
  const tag = oneOf(roll, TAGS);
  const inner = repeated(below(roll, 4), () =>
    depth > 0 && roll() < 0.5 ? element(roll, depth - 1) : oneOf(roll, WORDS),
  );
  const close = roll() < 0.85 ? `</${roll() < 0.95 ? tag : oneOf(roll, TAGS)}>` : '';
  return `<${tag} ${attributes(roll)}>${inner.join('')}${close}`;
}
