/** HTML that hides words, or seems to, and the reader's verdict. `WORD` marks the place of the word. */

export type Expected = 'hidden' | 'marked' | 'shown';

export interface Trick {
  readonly name: string;
  readonly html: string;
  readonly expected: Expected;
  /** True if a browser cannot decide the trick, because other mail programs differ from it. */
  readonly browserDiffers?: true;
}

const WORD = 'Secret';

function styled(style: string): string {
  return `<div style="${style}">${WORD}</div>`;
}

function attributed(style: string, tag: string, text: string): string {
  return `<${tag} style="${style.replaceAll('"', '&quot;')}">${text}</${tag.split(' ')[0]}>`;
}

function clipping(style: string, html: string): string {
  return `<div style="overflow:hidden;${style}">${html}</div>`;
}

function inSheet(css: string, html = `<p class="x" id="i">${WORD}</p>`): string {
  return `<style>${css}</style><div class="outer">${html}</div>`;
}

function all(expected: Expected, rows: readonly (readonly [string, string, true?])[]): Trick[] {
  return rows.map(([name, html, browserDiffers]) => ({
    name,
    html,
    expected,
    ...(browserDiffers && { browserDiffers }),
  }));
}

const HIDDEN = all('hidden', [
  ['a variable', inSheet(':root{--d:none}.x{display:var(--d)}')],
  ['a variable of a variable', inSheet('.outer{--a:var(--b);--b:none}.x{display:var(--a)}')],
  ['what stands for a variable that is not set', inSheet('.x{display:var(--nothing,none)}')],
  ['a variable whose name differs in case', inSheet('.x{--D:none;--d:block;display:var(--D)}')],
  ['a variable in the style attribute', styled('--c:#fff;color:var(--c)')],
  ['a variable that is unset again', styled('visibility:hidden;--v:initial;visibility:var(--v,hidden)')],
  ['calc() that comes to nothing', styled('font-size:calc(1em * 0)')],
  ['calc() off the page', styled('position:absolute;left:calc(-50px * 200)')],
  ['min() of sizes', styled('font-size:min(16px, 0.5px)')],
  ['clamp()', styled('font-size:clamp(0px, 1px, 2px)')],
  ['an opacity that is computed', styled('opacity:calc(0.5 - 0.5)')],
  ['oklch()', styled('color:oklch(100% 0 0)')],
  ['oklab()', styled('color:oklab(1 0 0)')],
  ['lch()', styled('color:lch(100% 0 0)')],
  ['lab()', styled('color:lab(100 0 0)')],
  ['hwb()', styled('color:hwb(0 100% 0%)')],
  ['color()', styled('color:color(srgb 1 1 1)')],
  ['color(display-p3)', styled('color:color(display-p3 1 1 1)')],
  ['color-mix()', styled('color:color-mix(in srgb, white 99%, black)')],
  ['a relative colour', styled('color:rgb(from red r g b / 0)')],
  ['a system colour', styled('color:Canvas')],
  ['a system colour on another', styled('background:CanvasText;color:black')],
  ['a colour with little alpha on its like', styled('color:rgba(255,255,255,.7)')],
  ['a translucent background over its like', styled('background:rgba(0,0,0,.98);color:#000')],
  [':has()', inSheet('.outer:has(.x){display:none}')],
  [':has() of a child', inSheet('div:has(> p){visibility:hidden}')],
  [':has() of what follows', inSheet('p:has(+ b){display:none}', `<p>${WORD}</p><b></b>`)],
  [':checked', inSheet('input:checked + p{display:none}', `<input type=checkbox checked><p>${WORD}</p>`)],
  ['nested rules', inSheet('.outer{& .x{& {display:none}}}')],
  ['a nested rule, then a declaration', inSheet('.outer{.x{&{display:block} display:none}}')],
  ['a media query in a rule', inSheet('.x{@media screen{display:none}}')],
  ['a brace in a string', inSheet('.y::before{content:"{"} .x{display:none}')],
  ['a brace in an attribute selector', inSheet('[title="}"]{} .x{display:none}')],
  ['a semicolon in a string', styled("font-family:'a;b';display:none")],
  ['a bad rule before it', inSheet('.y{color:;;} }.z{} .x{display:none}')],
  ['layers, of which none wins', inSheet('@layer a{#i{display:block}} .x{display:none}')],
  ['a rule for another case', inSheet('.x{display:none} .y.X{display:block}')],
  ['a wrong list that is dropped', inSheet('.x{display:none} .x, {display:block}')],
  ['a rule that begins behind text', inSheet('.x{display:none} nonsense; .x{display:block}')],
  ['not(print)', inSheet('@media not (print){.y{color:red}} @media (not (hover:none)){.x{display:none}}')],
  ['video', `<video>${WORD}</video>`],
  ['audio', `<audio>${WORD}</audio>`],
  ['an iframe', `<iframe>${WORD}</iframe>`],
  ['a closed dialog', `<dialog>${WORD}</dialog>`],
  ['a popover', `<div popover>${WORD}</div>`],
  ['hidden until found', `<p hidden=until-found>${WORD}</p>`],
  ['a template', `<template>${WORD}</template>`],
  ['a datalist', `<datalist><option>${WORD}</option></datalist>`],
  ['content-visibility', styled('content-visibility:hidden')],
  ['opacity within opacity', `<div style="opacity:.3"><div style="opacity:.3">${WORD}</div></div>`],
  ['opacity in percent', styled('opacity:0%')],
  ['a filter', styled('filter:opacity(0)')],
  ['no width', styled('width:0;overflow:hidden;white-space:nowrap')],
  ['no height', styled('height:0;overflow:clip')],
  ['no block size', styled('block-size:0;overflow:hidden')],
  [
    'an inline block without size',
    `<span style="display:inline-block;width:0;height:0;overflow:hidden">${WORD}</span>`,
  ],
  ['a floating box without size', `<span style="float:left;width:0;height:0;overflow:hidden">${WORD}</span>`],
  [
    'a flex item without size',
    `<div style="display:flex"><span style="height:0;width:0;overflow:hidden">${WORD}</span></div>`,
  ],
  ['far to the left', styled('position:absolute;left:-999em')],
  ['far to the left, by a logical side', styled('position:absolute;inset-inline-start:-9999px')],
  ['far to the left by its right side', styled('position:absolute;right:9999px')],
  ['far above', styled('margin-block-start:-9999px')],
  ['indented', styled('text-indent:-9999px;white-space:nowrap')],
  ['indented by calc()', styled('text-indent:calc(-1 * 9999px);white-space:nowrap')],
  ['moved', styled('transform:translateX(calc(-1px * 9999))')],
  ['moved by a property of its own', styled('translate:0 -9999px')],
  ['turned on its edge', styled('transform:rotateX(90deg)')],
  ['turned on its edge in turns', styled('transform:rotateY(.25turn)')],
  ['a matrix', styled('transform:matrix(0,0,0,0,0,0)')],
  ['scaled', styled('scale:0')],
  ['clipped', styled('clip-path:circle(0)')],
  ['a rectangle of no size', styled('position:absolute;clip:rect(0 0 0 0)')],
  [
    'the colour behind it, by inheritance',
    `<div style="background:#fff;color:#fff"><p><b>${WORD}</b></p></div>`,
  ],
  ['the colour of a gradient', styled('background:linear-gradient(#000,#111);color:#000')],
  ['the colour of a link', `<body link="#ffffff"><a href="https://a.example">${WORD}</a>`],
  ['a fill', styled('color:#000;-webkit-text-fill-color:#fff')],
  ['a tag that is opened again', `<p><font color="#ffffff"></p><p>${WORD}</p>`],
  ['a style that is opened again', `<p><b style="display:none"></p><p>${WORD}</p>`],
  ['a cell that is hidden', `<table><tr><td style="display:none">${WORD}</td></tr></table>`],
  [
    'nothing that is shown within',
    `<div style="display:none"><div style="display:block">${WORD}</div></div>`,
  ],
  ['a class among very many', inSheet('.x{display:none}', `<p class="${'a '.repeat(500)}x">${WORD}</p>`)],
  ['an attribute with capitals', inSheet('[DATA-X]{display:none}', `<p data-x>${WORD}</p>`)],
  ['an escaped property', styled('d\\isplay:none')],
  ['a rule behind a comment', inSheet('/* a */ @media screen{/* b */.x{display:none}}')],
  ['a comment between words', styled('display/**/:/**/none')],
  ['a comment in a selector', inSheet('.x{display:none} .x/**/y{display:block} .p/**/x{display:block}')],
  ['what only Outlook has', `<!--[if mso]>${WORD}<![endif]-->`],
  ['a noframes', `<noframes>${WORD}</noframes>`],
  ['a hidden input', `<input type=hidden value="${WORD}">`],
  ['a password', `<input type=password value="${WORD}">`],
  ['the value of a box', `<input type=checkbox value="${WORD}">`],
  ['a date that is none', `<input type=date value="${WORD}">`],
  [
    'an input whose background is its own, and its colour not the inherited one',
    `<div style="color:#fff"><input style="background:#000" value="${WORD}"></div>`,
  ],
  [
    'a text area of that kind',
    `<div style="color:#fff"><textarea style="background:#000">${WORD}</textarea></div>`,
  ],
  ['a text area of no height', `<textarea style="height:0">${WORD}</textarea>`, true],
  ['a text area of no size', `<textarea style="width:0;max-height:0;padding:0;border:0">${WORD}</textarea>`],
  ['an input of no height', `<input style="height:0;padding:0" value="${WORD}">`],
  ['an option with another label', `<select><option label="Other">${WORD}</option></select>`],
  [
    'the annotation of a formula',
    `<math><semantics><mn>1</mn><annotation>${WORD}</annotation></semantics></math>`,
  ],
  ...['content:"x', "font-family:'x", 'filter:"x', 'background-image:url(x', 'clip-path:url(x'].map(
    (start): readonly [string, string] => [
      `beside a value that looks like the declarations: ${start}`,
      `<style>.x{visibility:hidden!important}</style>${attributed(`${start};visibility:hidden`, 'p', 'seen')}` +
        attributed(start, 'p class="x"', WORD),
    ],
  ),
  [
    'a variable beside one whose name ends in a mark',
    inSheet('.x{--a:hidden!important;--a\\!:visible;visibility:var(--a)}'),
  ],
  ['an importance that is escaped', inSheet('.x{visibility:hidden}.x{visibility:visible\\!important}')],
  ...['@media print{', '/*', 'x{', 'x{y:"', 'x', 'x{y:\\', '@import "x'].map(
    (open): readonly [string, string] => [
      `a style sheet after one that leaves something open: ${open}`,
      `<style>${open}</style>${inSheet('.x{visibility:hidden}')}`,
    ],
  ),
  [
    'media that look like rules',
    `<style media="all{.x{visibility:visible!important}} @media print">y{}</style>${inSheet('.x{visibility:hidden}')}`,
  ],
]);

const MARKED = all('marked', [
  ['@scope', inSheet('@scope (.outer){.x{display:none}}')],
  ['@container', inSheet('.outer{container-type:inline-size} @container (min-width:1px){.x{display:none}}')],
  ['@supports', inSheet('@supports (display:grid){.x{display:none}}')],
  ['@property', inSheet('@property --d{syntax:"*";inherits:false;initial-value:none} .x{display:var(--d)}')],
  ['a pseudo-class that is not known', inSheet('.x:dir(ltr){display:none}')],
  ['the n-th of a selector', inSheet(':nth-child(1 of .x){display:none}')],
  ['the first line', inSheet('.x::first-line{color:#fff}')],
  ['a namespace', inSheet('*|p{display:none}')],
  [
    'a sheet in its own link',
    `<link rel=stylesheet href="data:text/css,.x{display:none}"><p class=x>${WORD}</p>`,
  ],
  ['a sheet that is imported', inSheet('@import "data:text/css,.x{display:none}";')],
  ['a style sheet too large to read', inSheet(`${'a{}'.repeat(6000)}.x{display:none}`)],
  ['a mask', styled('mask-image:linear-gradient(transparent,transparent)')],
  ['a mask with a prefix', styled('-webkit-mask:linear-gradient(transparent,transparent)')],
  ['blur', styled('filter:blur(30px)')],
  ['brightness', styled('color:#444;filter:brightness(100)')],
  ['contrast', styled('background:#fff;filter:contrast(0)')],
  ['a blend mode', styled('mix-blend-mode:lighten'), true],
  ['a polygon somewhere', styled('clip-path:polygon(500px 500px,501px 500px,500px 501px)')],
  [
    'a clip path by reference',
    `<svg width=0 height=0><clipPath id=a><rect width=0 height=0 /></clipPath></svg>${styled('clip-path:url(#a)')}`,
  ],
  ['an animation', inSheet('@keyframes a{to{opacity:0}} .x{animation:a 1ms forwards}')],
  [
    'a picture of the same colour behind it',
    styled('background:url(data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAAAAAAALAAAAAABAAEAAAIBRAA7)'),
  ],
  ['a gradient of its colour in part', styled('background:linear-gradient(#000,#fff);color:#000'), true],
  ['an inner shadow', styled('box-shadow:inset 0 0 0 999px #000')],
  ['a variable that is not known', styled('color:env(nothing,#fff)')],
  ['a colour between two schemes', styled('color:light-dark(white,black)')],
  ['calc() with what is not known', styled('font-size:calc(1px * sibling-index() * 0)')],
  ['behind the page', styled('position:relative;z-index:-1'), true],
  ['letters upon each other', styled('letter-spacing:-1em'), true],
  ['dots for letters', styled('-webkit-text-security:disc')],
  ['letters turned around', `<bdo dir=rtl>${WORD}</bdo>`, true],
  ['letters turned around by style', styled('unicode-bidi:bidi-override;direction:rtl'), true],
  [
    'a font of its own',
    inSheet('@font-face{font-family:blank;src:url(data:font/woff2,)} .x{font-family:blank}'),
    true,
  ],
  [
    'lines that are cut off',
    `<div style="-webkit-line-clamp:1;-webkit-box-orient:vertical;display:-webkit-box;overflow:hidden">${'many words '.repeat(60)}${WORD}</div>`,
    true,
  ],
  [
    'more text than fits',
    `<div style="height:20px;overflow:hidden">${'a word and more '.repeat(60)}${WORD}</div>`,
  ],
  ['canvas', `<canvas>${WORD}</canvas>`, true],
  ['closed details', `<details><summary>More</summary>${WORD}</details>`],
  [
    'an option that is not chosen',
    `<select style="width:90px"><option>First</option><option>${WORD}</option></select>`,
  ],
  [
    'the first option where another is chosen',
    `<select style="width:90px"><option>${WORD}</option><option selected>Other</option></select>`,
  ],
  [
    'the first option of a second group',
    `<select style="width:90px"><optgroup><option>One<optgroup><option>${WORD}</option></optgroup></select>`,
  ],
  ['a value that is longer than its field', `<input value="${'many words '.repeat(9)}${WORD}">`],
  ['a value in a field with little room', `<input style="width:3px" value="${WORD}">`, true],
  ['an object', `<object data="data:text/html,x">${WORD}</object>`],
  ['a drawing', `<svg><text x="-900" y="20">${WORD}</text></svg>`],
  ['a shadow tree', `<div><template shadowrootmode=open></template>${WORD}</div>`, true],
  [
    'a picture instead',
    styled('content:url(data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAAAAAAALAAAAAABAAEAAAIBRAA7)'),
  ],
  ['to the right of the screen', styled('position:absolute;left:1400px')],
  ['turned steeply', styled('transform:rotateY(89deg)'), true],
  ['a shadow on nothing', styled('color:transparent;text-shadow:0 0 1px #000'), true],
  ['everything reset', inSheet('.x{all:unset}'), true],
  ['a background that ends above the text', styled('background:#000;color:#fff;height:0')],
  ['no height but a padding', styled('height:0;padding-bottom:40px;overflow:hidden'), true],
  ['no size by containment', styled('contain:size;overflow:hidden')],
  [
    'the back of a box that is turned around',
    `<div style="transform:rotateY(180deg);backface-visibility:hidden">${WORD}</div>`,
  ],
  [
    'the back of a box in one that is turned around',
    `<div style="transform-style:preserve-3d;rotate:x 180deg"><p style="-webkit-backface-visibility:hidden">${WORD}</p></div>`,
  ],
  ['a margin in a clipped box', clipping('height:20px', `<div style="margin-top:90px">${WORD}</div>`)],
  [
    'two paddings in a clipped box',
    clipping('height:60px', `<div style="padding-top:40px"><p style="padding-top:40px">${WORD}</p></div>`),
  ],
  ['a negative margin in a clipped box', clipping('', `<div style="margin-top:-60px">${WORD}</div>`)],
  ['a margin to the left in a clipped box', clipping('', `<div style="margin-left:-200px">${WORD}</div>`)],
  [
    'a margin to the right in a clipped box',
    clipping('width:90px', `<div style="margin-left:100%">${WORD}</div>`),
  ],
  ['a padding in a clipped box', clipping('height:30px', `<div style="padding-top:2em">${WORD}</div>`)],
  ['the padding of a clipped box', clipping('height:30px;padding-top:40px;box-sizing:border-box', WORD)],
  [
    'a place below a clipped box',
    clipping('height:30px;position:relative', `<div style="position:absolute;top:100%">${WORD}</div>`),
  ],
  [
    'a place above a clipped box',
    clipping('height:30px;position:relative', `<div style="position:absolute;bottom:100%">${WORD}</div>`),
  ],
  [
    'a place at the right of a clipped box',
    clipping(
      'height:30px;position:relative',
      `<div style="position:absolute;right:-200px;width:190px">${WORD}</div>`,
    ),
  ],
  [
    'a box moved up in a clipped box',
    clipping('height:30px', `<div style="transform:translateY(-100%)">${WORD}</div>`),
  ],
  [
    'a box moved down in a clipped box',
    clipping('height:30px', `<div style="translate:0 40px">${WORD}</div>`),
  ],
  [
    'an indent in a clipped box',
    clipping('width:200px;white-space:nowrap', `<p style="text-indent:100%">${WORD}</p>`),
  ],
  [
    'a margin in a clipped box in a clipped box',
    clipping('height:20px', clipping('', `<div style="margin-top:90px">${WORD}</div>`)),
  ],
  ['a clipped line of no height', clipping('line-height:0', WORD)],
  ['a clipped line of no height, by inheritance', `<div style="line-height:0">${clipping('', WORD)}</div>`],
  ['a clipped line of no height, by its font', clipping('font:16px/0 serif', WORD)],
  [
    'a line that is cut off below a break',
    clipping('-webkit-line-clamp:1;-webkit-box-orient:vertical;display:-webkit-box', `One<br>${WORD}`),
  ],
  [
    'a line that is cut off below a block',
    clipping(
      '-webkit-line-clamp:1;-webkit-box-orient:vertical;display:-webkit-box',
      `<div>One</div><div>${WORD}</div>`,
    ),
  ],
  [
    'a line that is cut off in a narrow box',
    `<div style="width:60px">${clipping('-webkit-line-clamp:1;-webkit-box-orient:vertical;display:-webkit-box', `many words and more ${WORD}`)}</div>`,
  ],
  ['a block below others that fill the box', clipping('height:20px', `<p>One</p><p>Two</p><p>${WORD}</p>`)],
  ['a grid row of no height', `<div style="display:grid;grid-template-rows:0fr">${clipping('', WORD)}</div>`],
  [
    'a grid row of hardly any height',
    `<div style="display:grid;height:60px;grid-template-rows:0.001fr 1fr">${clipping('min-height:0', WORD)}<p>Two</p></div>`,
  ],
  [
    'a grid column of no width',
    `<div style="display:grid;grid-template:auto / 0 1fr">${clipping('white-space:nowrap', WORD)}<p>Two</p></div>`,
  ],
  [
    'a flexible box of no width',
    `<div style="display:flex">${clipping('flex:0 0 0;white-space:nowrap', WORD)}</div>`,
  ],
  [
    'covered by a box on top of it',
    `${WORD}<div style="position:absolute;top:0;left:0;width:100%;height:100%;background:#fff"></div>`,
  ],
]);

const SHOWN = all('shown', [
  ['a paragraph', `<p>${WORD}</p>`],
  ['a link', `<a href="https://a.example">${WORD}</a>`],
  [
    'a newsletter table',
    `<table width="600" bgcolor="#ffffff" style="max-width:600px"><tr><td style="padding:20px;font-family:Arial,sans-serif;font-size:14px;line-height:1.5;color:#333333">${WORD}</td></tr></table>`,
  ],
  [
    'a button',
    `<a href="#" style="display:inline-block;background:#0a66c2;color:#ffffff;padding:12px 24px;border-radius:4px;text-decoration:none">${WORD}</a>`,
  ],
  [
    'a button with an inner light',
    `<a style="background:#333;color:#fff;box-shadow:inset 0 1px 0 #555;padding:9px">${WORD}</a>`,
  ],
  ['white on dark by a class', inSheet('.outer{background-color:#222}.x{color:#fff}')],
  ['white on a gradient', styled('background:linear-gradient(90deg,#600,#006);color:#fff')],
  [
    'white on a picture with a dark colour behind it',
    `<div style="background:#222;color:#fff"><p>${WORD}</p></div>`,
  ],
  ['variables', inSheet(':root{--fg:#222;--size:16px}.x{color:var(--fg);font-size:var(--size)}')],
  ['a variable that is not set', inSheet('.x{display:var(--nothing)}')],
  ['calc()', styled('font-size:calc(1rem + .2vw);width:calc(100% - 20px)')],
  ['oklch()', styled('color:oklch(30% .1 250)')],
  ['a system colour', styled('color:WindowText')],
  ['small print', styled('font-size:9px;color:#999')],
  ['half opaque', styled('opacity:.6')],
  ['a drop shadow', styled('filter:drop-shadow(0 0 2px #000)')],
  ['rounded and clipped', styled('border-radius:8px;overflow:hidden')],
  ['rounded and clipped, as high as its text', styled('height:24px;overflow:hidden')],
  ['a container for floats', styled('overflow:auto;width:300px')],
  ['a scroll box', `<div style="height:40px;overflow:auto">${WORD}</div>`],
  [
    'a cell of no height',
    `<table><tr><td height="0" style="height:0;overflow:hidden">${WORD}</td></tr></table>`,
  ],
  ['a span of no height', `<span style="height:0;width:0;overflow:hidden">${WORD}</span>`],
  ['a rectangle without a place', styled('clip:rect(0 0 0 0)')],
  ['sides without a place', styled('left:-9999px')],
  ['a hanging indent', styled('text-indent:-20px;padding-left:20px')],
  ['a negative margin', styled('margin:0 -10px')],
  ['centred by moving', styled('position:relative;left:50%;transform:translate(-50%,0)')],
  ['turned a little', styled('transform:rotate(-3deg)')],
  ['scaled a little', styled('transform:scale(.95)')],
  ['a rule behind comments', inSheet('/* a */ @media print{.x{display:none}} /* b */ .y{display:none}')],
  [
    'a clamp with room for all',
    styled('-webkit-line-clamp:2;-webkit-box-orient:vertical;display:-webkit-box;overflow:hidden'),
  ],
  ['for phones only', inSheet('@media (max-width:480px){.x{display:none!important}}')],
  ['for paper only', inSheet('@media print{.x{display:none}}')],
  ['by night only', inSheet('@media (prefers-color-scheme:dark){.x{color:#fff!important}}')],
  ['hidden, then shown by a stronger rule', inSheet('.x{display:none}#i{display:block}')],
  ['hidden, then shown inline', inSheet('.x{display:none}', `<p class=x style="display:block">${WORD}</p>`)],
  ['visible within hidden', `<div style="visibility:hidden"><p style="visibility:visible">${WORD}</p></div>`],
  ['a size within none', `<div style="font-size:0"><span style="font-size:14px">${WORD}</span></div>`],
  ['a pseudo-element', inSheet('.x::before{content:"";display:none}.x::-webkit-scrollbar{display:none}')],
  ['hover', inSheet('.x:hover{opacity:0}')],
  ['what Gmail is given', inSheet('u + .body .x{display:none} #MessageViewBody a{color:inherit}')],
  ['what Outlook is given', inSheet('.ExternalClass *{line-height:100%} #outlook a{padding:0}')],
  [
    'what Apple Mail is given',
    inSheet('a[x-apple-data-detectors]{color:inherit!important;font-size:inherit!important}'),
  ],
  [
    'a web font',
    inSheet('@font-face{font-family:Lato;src:url(https://fonts.example/l.woff2)}.x{font-family:Lato,Arial}'),
  ],
  ['open details', `<details open><summary>More</summary>${WORD}</details>`],
  ['a summary', `<details><summary>${WORD}</summary></details>`],
  ['an open dialog', `<dialog open>${WORD}</dialog>`],
  ['the first option', `<select><option>${WORD}</option></select>`],
  ['the option that is chosen', `<select><option>One</option><option selected>${WORD}</option></select>`],
  ['an option of an open list', `<select multiple><option>One</option><option>${WORD}</option></select>`],
  ['the label of an option', `<select><option label="${WORD}">One</option></select>`],
  ['a text area', `<textarea>${WORD}</textarea>`],
  [
    'a text area in a page of white letters',
    `<div style="color:#fff;font-size:0"><textarea>${WORD}</textarea></div>`,
  ],
  ['what a text area asks for', `<textarea placeholder="${WORD}"></textarea>`],
  ['the value of an input', `<input value="${WORD}">`],
  ['the value of an input of an unknown type', `<input type=words value="${WORD}">`],
  ['what an input asks for', `<input type=password placeholder="${WORD}">`],
  ['the text of a button', `<input type=button value="${WORD}">`],
  [
    'the text of a button that sends',
    `<input type=submit value="${WORD}" style="background:#00f;color:#fff">`,
  ],
  ['the text of a button element', `<div style="color:#fff;font-size:0"><button>${WORD}</button></div>`],
  ['a picture that sends', `<input type=image alt="${WORD}">`],
  ['for readers without scripts', `<noscript>${WORD}</noscript>`],
  ['a formula', `<math><mi>${WORD}</mi></math>`],
  ['a list', `<ul><li>${WORD}</li></ul>`],
  ['preformatted', `<pre>${WORD}</pre>`],
  ['hidden from screen readers', `<p aria-hidden="true">${WORD}</p>`],
  [
    'a gradient in the letters',
    styled('background:linear-gradient(#900,#009);-webkit-background-clip:text;color:transparent'),
  ],
  ['a colour that is none', styled('color:#12;color:nonsense')],
  ['a filter of old browsers', styled('filter:alpha(opacity=50)')],
  ['a rule in a style attribute', styled('x{;display:none;}color:red')],
  ['light and dark schemes', inSheet(':root{color-scheme:light dark}')],
  ['a box that is turned around and has no back', styled('backface-visibility:hidden')],
  ['gutters in a clipped box', clipping('', `<div style="margin:0 -16px;padding:0 16px">${WORD}</div>`)],
  [
    'margins in a clipped box with room',
    clipping('height:90px', `<p style="margin:16px 0;padding:10px">${WORD}</p>`),
  ],
  [
    'the middle of a clipped box',
    clipping(
      'height:120px;position:relative',
      `<div style="position:absolute;top:50%;left:50%;transform:translate(-50%,-50%)">${WORD}</div>`,
    ),
  ],
  [
    'the lower edge of a clipped box',
    clipping(
      'height:120px;position:relative',
      `<div style="position:absolute;bottom:0;right:0">${WORD}</div>`,
    ),
  ],
  ['lines close together in a clipped box', clipping('line-height:1', WORD)],
  [
    'a grid of two columns',
    `<div style="display:grid;grid-template-columns:repeat(2,minmax(0,1fr))"><p>One</p>${clipping('', WORD)}</div>`,
  ],
  ['a flexible box that grows', `<div style="display:flex">${clipping('flex:1 1 0', WORD)}</div>`],
  [
    'a badge over a corner',
    `<div style="position:relative">${WORD}<span style="position:absolute;top:0;right:0;width:12px;height:12px;background:red"></span></div>`,
  ],
]);

export const TRICKS: readonly Trick[] = [...HIDDEN, ...MARKED, ...SHOWN];
export const TRICK_WORD = WORD;
