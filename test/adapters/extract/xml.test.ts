import { describe, expect, it } from 'vitest';
import { type XmlEvent, xmlEvents } from '../../../adapters/extract/xml.ts';

/** Events as text: `<name>`, `</name>`, and texts as they are. */
function shown(events: Iterable<XmlEvent>): string {
  let all = '';
  for (const event of events) {
    if (event.kind === 'text') all += event.text;
    else all += event.kind === 'open' ? `<${event.name}>` : `</${event.name}>`;
  }
  return all;
}

function read(xml: string): string {
  return shown(xmlEvents([Buffer.from(xml)]));
}

function attributesOf(xml: string): readonly object[] {
  return [...xmlEvents([Buffer.from(xml)])].flatMap((event) =>
    event.kind === 'open' ? [event.attributes] : [],
  );
}

describe('the events of XML', () => {
  it.each([
    ['nothing', '', ''],
    ['white space', ' \n', ' \n'],
    ['an element', '<a:b/>', '<b></b>'],
    ['a bare ampersand', '<t>Tom & Jerry</t><t>a;b</t>', '<t>Tom & Jerry</t><t>a;b</t>'],
    ['ampersands in a row', '<t>&&;&&amp;&</t>', '<t>&&;&&&</t>'],
    ['ampersands in CDATA', '<t><![CDATA[&&; & &amp;]]></t>', '<t>&&; & &amp;</t>'],
    ['an undefined entity', '<t>a&nbsp;b</t>', '<t>a&nbsp;b</t>'],
    ['a character that cannot be', '<t>&#x110000;&#0;</t>', '<t>&#x110000;&#0;</t>'],
    ['a defined entity', '<!DOCTYPE t [<!ENTITY e "]>no">]><t>&e;</t>', '<t>&e;</t>'],
    ['an external DTD', '<!DOCTYPE t SYSTEM "http://example.com/t.dtd"><t>a</t>', '<t>a</t>'],
    ['an element that does not end', '<a><b>x</a><c>y</c>', '<a><b>x</b></a><c>y</c>'],
    // As text, where no reader expects text: it has ended every element.
    ['an end without a beginning', '<a>x</b><c>y</c>', '<a>x</a></b><c>y</c>'],
    ['several roots', 'x<a/>y<a/>z', 'x<a></a>y<a></a>z'],
    ['characters that are not allowed', '<a>x\0\uffffy</a>', '<a>x\0\uffffy</a>'],
    ['a bare angle bracket', '<a>1 < 2</a>', '<a>1 2</a>'],
    ['attributes in disorder', '<a b=c d e="<f>" e="g"h="i">x</a>', '<a>x</a>'],
  ])('%s', (_name, xml, events) => {
    expect(read(xml)).toBe(events);
  });

  it('are the same however the document is cut', () => {
    const xml = Buffer.from(
      '<t a="Q&A &lt;">Tom & Jerry &#x1F600;&amp; &nbsp;&&#65; 🎉 AT&T;<![CDATA[&]]></t>',
    );
    const expected = '<t>Tom & Jerry 😀& &nbsp;&A 🎉 AT&T;&</t>';
    for (let at = 0; at <= xml.length; at++) {
      const events = [...xmlEvents([xml.subarray(0, at), xml.subarray(at)])];
      expect(shown(events)).toBe(expected);
      expect(events[0]).toMatchObject({ attributes: { a: 'Q&A <' } });
    }
    // The parser gets slices of 16 Ki characters.
    for (let before = 0; before < 120; before++) {
      const comment = Buffer.from(`<!--${' '.repeat(16 * 1024 - before)}-->`);
      expect(shown(xmlEvents([Buffer.concat([comment, xml])]))).toBe(expected);
    }
  });

  it('have attributes by their names with and without prefix', () => {
    const both = { id: '1', 'r:id': '2' };
    expect(attributesOf('<a id="1" r:id="2"/><a r:id="2" id="1"/><a r:id="3"/>')).toEqual([
      both,
      both,
      { id: '3', 'r:id': '3' },
    ]);
  });

  it.each([
    ['UTF-8 with a mark', Buffer.from('\ufeff<a>é</a>')],
    ['UTF-16', Buffer.from('\ufeff<a>é</a>', 'utf16le')],
    ['UTF-16 of the other order', Buffer.from('\ufeff<a>é</a>', 'utf16le').swap16()],
    ['a declared charset', Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>', 'latin1')],
  ])('are decoded from %s', (_name, bytes) => {
    expect(shown(xmlEvents([bytes]))).toBe('<a>é</a>');
  });

  it('have no half surrogate pair that the parser could not read', () => {
    const xml = Buffer.from('\ufeff<a b="\udbff\uffff">\udbff\ue000<!\udbff\uffff--x--></a>', 'utf16le');
    expect(() => shown(xmlEvents([xml]))).toThrow('broken');
    expect(shown(xmlEvents([Buffer.from('\ufeff<a>\udbff\ue000\udbff', 'utf16le')]))).toBe(
      '<a>\ufffd\ue000\ufffd',
    );
  });

  it.each(['<a', '<a b="', '<!-- x', '<![CDATA[ x', '<!DOCTYPE x [', '<?x', '</a'])('end at %s', (end) => {
    const events: XmlEvent[] = [];
    expect(() => {
      for (const event of xmlEvents([Buffer.from(`<t>before</t>${end}`)])) events.push(event);
    }).toThrow('broken');
    expect(shown(events)).toBe('<t>before</t>');
  });

  it.each([
    ['text', '', 'x', 'too_large', '<t>xxx'],
    ['ampersands', '', '&', 'too_large', '<t>&&&'],
    ['open elements', '', '<a>', 'too_large', '<t><a><a>'],
    ['a comment', '<!--', '-x', 'broken', '<t>'],
    ['CDATA', '<![CDATA[', ']', 'broken', '<t>'],
    ['a tag', '<a ', 'b="" ', 'broken', '<t>'],
  ])('end when %s would never end', (_name, before, repeated, reason, begin) => {
    function* endless(): Generator<Uint8Array> {
      yield Buffer.from(`<t>${before}`);
      const piece = Buffer.from(repeated.repeat(10_000));
      for (;;) yield piece;
    }
    let all = '';
    expect(() => {
      for (const event of xmlEvents(endless())) if (all.length < 9) all += shown([event]);
    }).toThrow(reason);
    expect(all.slice(0, 9)).toMatch(begin);
  });
});
