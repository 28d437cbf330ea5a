import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlReader } from '../../../core/html/html-text.ts';
import { anyCharacter } from '../../any-character.ts';

const read = (html: string) => htmlReader().read(html);
const styled = (style: string) => `<div style="${style}">hidden</div>`;
const inSheet = (rule: string, element = '<p class="pre header" id="top">hidden</p>') =>
  `<style>${rule}</style><div class="outer">${element}</div>`;

describe('hidden HTML is left out', () => {
  it.each([
    ['the hidden attribute', '<p hidden>hidden</p>'],
    ['not displayed', styled('color: red; DISPLAY : None !important')],
    ['not displayed, said last', styled('display:block;display:none')],
    ['not displayed, then nonsense', styled('display:none;display:bogus')],
    ['not displayed, written with escapes', styled('d\\69splay:n\\6fne')],
    ['not displayed, behind a comment', styled('/* a */display:/**/none')],
    ['not visible', styled('visibility:hidden')],
    ['collapsed', styled('visibility:collapse')],
    ['no size', styled('font-size:0')],
    ['hardly a size', styled('font-size:1px')],
    ['no size in em', styled('font-size:0.01em')],
    ['no size by shorthand', styled('font:0/0 a')],
    ['not opaque', styled('opacity:0')],
    ['not opaque by filter', styled('filter:opacity(0%)')],
    ['the colour of the page', styled('color:#fff')],
    ['nearly the colour of the page', styled('color:#FEFEFE')],
    ['the colour of the page by name', styled('color:snow')],
    ['the colour of the page by hue', styled('color:hsl(0, 0%, 100%)')],
    ['the colour of the page as numbers', styled('color:rgb(255 255 255)')],
    ['the colour behind it', styled('background:#123 none;color:#112233')],
    [
      'the colour behind all of it',
      `<table bgcolor="navy"><tr><td><font color="#000080">hidden</font></td></tr></table>`,
    ],
    ['transparent', styled('color:transparent')],
    ['nearly transparent', styled('color:rgba(0,0,0,.01)')],
    ['a fill that is transparent', styled('-webkit-text-fill-color:transparent')],
    ['to the left of the page', styled('position:absolute;left:-9999px')],
    ['above the page', styled('position:fixed;top:-100em')],
    ['indented off the page', styled('text-indent:-9999px')],
    ['by a margin', styled('margin-left:-2000px')],
    ['moved away', styled('transform:translate(-9999px, 0)')],
    ['scaled to nothing', styled('transform:scale(0)')],
    ['clipped to nothing', styled('position:absolute;clip:rect(0, 0, 0, 0)')],
    ['clipped by a path', styled('clip-path:inset(50%)')],
    ['in a box without height', styled('max-height:0;overflow:hidden')],
    ['in a box of a point', styled('width:1px;height:1px;overflow:hidden')],
    ['a template', '<template>hidden</template>'],
    ['a dialog', '<dialog>hidden</dialog>'],
    ['a comment', '<!-- hidden -->'],
    ['a conditional comment', '<!--[if mso]><p>hidden</p><![endif]-->'],
    ['a script', '<script>hidden</script>'],
    [
      'a picture that is not seen',
      '<img alt="hidden" style="visibility:hidden"><img alt="hidden" width=1 height=1>',
    ],
    ['within what is hidden', '<div style="display:none"><b style="display:block">hidden</b></div>'],
    [
      'in every tag',
      '<ul style="display:none"><li>hidden</ul><h1 hidden>hidden</h1><a hidden href="http://a.example">hidden</a>',
    ],
    ['a cell', '<table><tr><td style="display:none">hidden</td></tr></table>'],
    ['by class', inSheet('.pre{display:none}')],
    ['by one of several selectors', inSheet('h1, p.pre.header , b { display : none }')],
    ['by id', inSheet('#top{font-size:0}')],
    ['by tag', inSheet('p{visibility:hidden}')],
    ['by all that is in it', inSheet('.outer * {font-size:0}')],
    ['by a body that is not written', inSheet('html > body p.pre{display:none}')],
    ['by the root', inSheet(':root .pre{display:none}')],
    ['by its place', inSheet('.outer p:first-child{display:none}')],
    ['by a numbered place', inSheet('.outer > :nth-child(2n+1){display:none}')],
    ['by its place among those of its kind', inSheet('p:last-of-type:not(.shown){display:none}')],
    ['by what it is not', inSheet('.outer :not(.header.other){display:none}')],
    ['by what it is', inSheet(':is(h1, p).pre{display:none}')],
    ['while nobody points at it', inSheet('p:not(:hover){display:none}')],
    ['by what stands before it', inSheet('b ~ i + p{display:none}', '<b></b><i></i><p>hidden</p>')],
    ['by an escaped class', inSheet('.p\\72 e{display:none}')],
    ['by a class in any script', inSheet('.größe{display:none}', '<p class="größe">hidden</p>')],
    ['by an attribute with brackets', inSheet('[title="a]b"]{display:none}', '<p title="a]b">hidden</p>')],
    ['by a rule in a rule', inSheet('.outer{& p{color:red} .pre{display:none}}')],
    ['for pages in daylight', inSheet('@media (prefers-color-scheme: light) {.pre{display:none}}')],
    ['for wide pages', inSheet('@media (width >= 30em) and (hover: hover) {.pre{display:none}}')],
    ['in a sheet for screens', '<style media="screen">.pre{display:none}</style><p class="pre">hidden</p>'],
    ['by a margin among others', styled('margin:0 auto 0 -9999px')],
    ['by an inset', styled('position:absolute;inset:-9999px auto auto -9999px')],
    ['moved by a property of its own', styled('translate:-9999px 0')],
    ['scaled to dots', styled('transform:rotate(5deg) scale(.01)')],
    ['zoomed to nothing', styled('zoom:0')],
    ['turned on its edge', styled('transform:rotateY(90deg)')],
    ['clipped by a polygon', styled('clip-path:polygon(0 0,0 0,0 0)')],
    ['in a box of two points', styled('height:2px;overflow:hidden')],
    ['hardly another colour', styled('color:#f0f0f0')],
    ['the text of a frame', '<iframe>hidden</iframe>'],
    ['the description of a drawing', '<svg><desc>hidden</desc></svg>'],
    ['by attribute', inSheet('[class~=pre]{color:white}')],
    ['by what it is in', inSheet('.outer .pre{display:none}')],
    ['by its parent', inSheet('div > p{display:none}')],
    ['for screens', inSheet('@media screen and (min-width:600px) { .pre { display:none } }')],
    ['not for print', inSheet('@media not print { .pre { display:none } }')],
    ['behind other rules', inSheet('@import "a"; @font-face{font-family:x} /*}*/ a{} .pre{display:none}')],
    ['by the stronger rule', inSheet('#top{display:none} .pre{display:block}')],
    ['by the later rule', inSheet('.pre{display:block} .header{display:none}')],
    ['by what is important', inSheet('p{display:none!important} #top{display:block}')],
    ['in a sheet behind it', '<p class="pre">hidden</p><style>.pre{display:none}</style>'],
    ['in a sheet in a comment mark', inSheet('<!-- .pre{display:none} -->')],
  ])('%s', (_, html) => {
    const text = read(`before<br>${html}<br>after`);
    expect(text.split(/\s+/)).toEqual(['before', 'after']);
  });
});

it.each([
  [
    'the colour of the body',
    '<body bgcolor="black" text="#000000">hidden<p style="color:#fff">shown</p></body>',
  ],
  [
    'the colour of a body that is not written',
    '<style>body{color:#fff}</style>hidden<p style="color:red">shown',
  ],
  [
    'behind the body',
    '<style>body{font-size:0}</style><body><p style="font-size:9px">shown</p></body>hidden',
  ],
])('hidden by %s', (_, html) => {
  expect(read(html)).toBe('shown');
});

it('by a sheet that does not end', () => {
  expect(read('<p class=pre>hidden</p><p>before</p><style>.pre{display:none')).toBe('before');
});

describe('HTML that shows stays', () => {
  it.each([
    [
      'text in a cell without size',
      '<table><tr><td style="font-size:0px"><div style="font-size:13px">shown</div></td></tr></table>',
    ],
    [
      'text made visible again',
      '<div style="visibility:hidden"><p style="visibility:visible">shown</p></div>',
    ],
    [
      'white on a dark cell',
      '<table><tr><td bgcolor="#333"><font color="white">shown</font></td></tr></table>',
    ],
    [
      'white by a rule, on a dark class',
      inSheet('.outer{background:#000}.pre{color:#fff}', '<p class="pre">shown</p>'),
    ],
    ['a link in white text', '<div style="color:#fff"><a href="https://a.example">shown</a></div>'],
    ['what Outlook alone hides', '<a style="mso-hide:all">shown</a>'],
    ['small print', '<p style="font-size:8px;color:#999">shown</p>'],
    ['half opaque text', '<p style="opacity:.5">shown</p>'],
    [
      'what is hidden on phones',
      inSheet('@media (max-width:600px){.pre{display:none}}', '<p class="pre">shown</p>'),
    ],
    ['what is hidden when pointed at', inSheet('p:hover{display:none}', '<p class="pre">shown</p>')],
    ['what stands elsewhere', inSheet('p:nth-child(2), b + p{display:none}', '<p class="pre">shown</p>')],
    [
      'what is hidden in the dark',
      inSheet('@media (prefers-color-scheme:dark){p{display:none}}', '<p>shown</p>'),
    ],
    ['what a sheet for paper hides', '<style media="print">p{display:none}</style><p>shown</p>'],
    ['what is no style sheet', '<style type="text/x">p{display:none}</style><p>shown</p>'],
    ['what is hidden on paper', inSheet('@media print{.pre{display:none}}', '<p class="pre">shown</p>')],
    [
      'what a stronger rule shows',
      inSheet('.pre{display:none}#top{display:block}', '<p class="pre" id="top">shown</p>'),
    ],
    [
      'what its own style shows',
      inSheet('.pre{display:none}', '<p class="pre" style="display:block">shown</p>'),
    ],
    ['what is only like the class', inSheet('.pre{display:none}', '<p class="prefix">shown</p>')],
    ['what is not within it', inSheet('.inner .pre{display:none}', '<p class="pre">shown</p>')],
    ['a box of no height that does not clip', '<div style="height:0">shown</div>'],
    ['a place that is not off the page', '<div style="position:relative;top:-20px;left:10px">shown</div>'],
    ['what is hidden from screen readers', '<p aria-hidden="true">shown</p>'],
    ['what readers without scripts see', '<noscript>shown</noscript>'],
    ['a colour that is none', '<p style="color:#ffg">shown</p>'],
    ['another size than nothing', '<p style="font:bold 12px/0 Arial">shown</p>'],
  ])('%s', (_, html) => {
    expect(read(html)).toMatch(/^shown(?: \[https:\/\/a\.example\])?$/);
  });

  it('keeps a picture if its cell has no size for text', () => {
    expect(read('<td style="font-size:0"><img alt="shown" width=100 height=100></td>')).toBe('shown');
  });
});

describe('any HTML', () => {
  it('is read, however broken it is', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '<style>',
        '</style>',
        '.a{',
        '}',
        'display:none',
        '@media',
        '<p class=a style="',
        '">',
      ),
      fc.constantFrom('<!--', '-->', '\\', '<template>', '[', ']', '>', ':', ';', '(', ')', 'color:'),
      fc.string({ unit: anyCharacter, maxLength: 10 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        read(`<p>before</p>${pieces.join('')}`);
      }),
    );
  });

  it('takes limited work for any number of rules and elements, and marks text beyond the limit', () => {
    const rules = Array.from({ length: 3000 }, (_, i) => `[data-x] * .a${i % 2 === 0 ? '' : ' b'}{left:1px}`);
    const elements = `${'<div data-x class=a>'.repeat(200)}${'<i class=a>x</i>'.repeat(10_000)}`;
    const places = Array.from(
      { length: 1900 },
      (_, i) => `:first-of-type ~ i:nth-of-type(${i}n+1){left:1px}`,
    );
    for (const html of [
      `<style>${rules.join('')}</style>${elements}`,
      `<style>${places.join('')}</style>${'<i>x</i>'.repeat(10_000)}`,
    ])
      expect(read(html)).toMatch(/^x*\[possibly hidden: x+\]$/);
  });

  /** Without limits, each overflows the stack or takes quadratic time or more. */
  it.each([
    ['rules in rules', `<style>${'.a{& & &{'.repeat(20_000)}</style><p class=a>x`],
    [
      'parents many times in one rule',
      `<style>.a{${'& &,& &{left:1px}'.repeat(12_000)}}</style><p class=a>x`,
    ],
    ['a list of selectors', `<style>${'.a,'.repeat(130_000)}.a{left:1px}</style><p class=a>x`],
    ['a sheet of bad strings', `<style>${'"\n'.repeat(300_000)}</style><p>x`],
    ['brackets that stay open', `<style>${'a('.repeat(250_000)}</style><p>x`],
    ['conditions in conditions', `<style>@media ${'('.repeat(250_000)}{p{left:1px}}</style><p>x`],
    [
      'variables that stand for many others',
      `<style>p{${Array.from({ length: 30 }, (_, i) => `--v${i}:${`var(--v${i + 1})`.repeat(30)};`).join('')}color:var(--v0)}</style><p>x`,
    ],
    [
      'a chain of variables',
      `<style>p{${Array.from({ length: 15_000 }, (_, i) => `--v${i}:var(--v${i + 1});`).join('')}color:var(--v0)}</style><p>x`,
    ],
    ['a value of brackets', `<p style="color:${'('.repeat(400_000)}">x`],
    ['names of classes', `<style>.a{left:1px}</style><p class="${'b '.repeat(300_000)}">x`],
    ['attributes', `<p ${Array.from({ length: 100_000 }, (_, i) => `a${i}`).join(' ')}>x`],
    ['style sheets', `${'<style>.a{left:1px}</style>'.repeat(1000)}<p class=a>x`],
    ['a comment that stays open', `<p>x</p>${'<!--'.repeat(200_000)}`],
    ['tags that close nothing', `${'<b>'.repeat(400)}x${'</i>'.repeat(200_000)}`],
    ['elements that are opened again', `${'<p><b>'.repeat(300)}x${'<p>y'.repeat(100_000)}`],
    ['tables that nothing closes', `x${'<table><tr><td>'.repeat(60_000)}`],
    ['lists with numbers', `<ol start=99999999999 type=I>${'<li>x'.repeat(20_000)}`],
  ])('takes limited work: %s', (_, html) => {
    expect(read(html)).toContain('x');
  });

  it.each(['calc(1px + (', 'calc(calc(', 'round(round(#ggg / url('])(
    'is read despite an unclosed function: %s',
    (value) => {
      expect(read(`<p style="font-size:${value}">x</p><p>y</p>`)).toMatch(/x.*y/s);
    },
  );

  it('marks the text if its style sheet is too large to read', () => {
    expect(read(`<style>${'.a{left:1px}'.repeat(40_000)}</style><p>x</p>`)).toBe('[possibly hidden: x]');
  });

  it('does not let text close its mark', () => {
    expect(read('<p style="filter:blur(9px)">a] b [c</p>d')).toBe('[possibly hidden: a) b (c]\n\nd');
  });
});
