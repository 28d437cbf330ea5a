import { calendarObject } from './ics-grammar.ts';
import { below, copies, type Dice, oneOf } from './mutation.ts';

/**
 * Generates a calendar server's response to a REPORT, well-formed or not.
 * @param scale how large: the same dice give the same response with more of the same content
 */
export function multistatusText(roll: Dice, scale: number): string {
  const prefix = oneOf(roll, ['d:', 'D:', '', 'x-y.z:']);
  const responses = Array.from({ length: below(roll, 5) }, () => response(roll, prefix)).join('');
  const many = scale * oneOf(roll, [1, 1, 1, 4, 40]);
  const depth = scale * oneOf(roll, [0, 0, 0, 20, 500]);
  return [
    oneOf(roll, ['<?xml version="1.0" encoding="utf-8"?>', '', '\ufeff', '<?xml version="1.1"?>', DOCTYPE]),
    `<${prefix}multistatus ${oneOf(roll, ['xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"', 'xmlns="DAV:"', `a${'="b" a'.repeat(scale * 20)}="c"`, ''])}>`,
    '<x>'.repeat(depth),
    copies(responses, many, scale),
    roll() < 0.7 ? '</x>'.repeat(depth) : '',
    oneOf(roll, [
      '',
      '',
      '',
      '<!-- x -->',
      '<!--',
      '&boom;',
      '<![CDATA[',
      ']]>',
      '<',
      `<d:sync-token>${'1'.repeat(400)}</d:sync-token>`,
    ]),
    `</${prefix}multistatus${oneOf(roll, ['>', '>', '>', ' >\n', '', '><x/>'])}`,
  ].join('');
}

const DOCTYPE = `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(100)}">${Array.from({ length: 9 }, (_, n) => `<!ENTITY a${n} "${`&a${n === 0 ? '' : n - 1};`.repeat(10)}">`).join('')}<!ENTITY boom "&a8;">]>`;

function response(roll: Dice, d: string): string {
  const href = oneOf(roll, [
    '/home/calendar/one.ics',
    'one.ics',
    'https://other.example/x',
    '//x',
    '%zz',
    '',
    `/${'a/'.repeat(300)}`,
    '/home/calendar/\u202e',
  ]);
  const data = calendarObject(roll, 1);
  const escaped = data.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const written = oneOf(roll, [
    escaped,
    escaped,
    `<![CDATA[${data}]]>`,
    data,
    escaped.replaceAll('\r\n', '&#13;\n'),
    '12345',
    'true',
    '',
    '&#0;',
    `<a>${escaped}</a>`,
  ]);
  const status = oneOf(roll, [
    'HTTP/1.1 200 OK',
    'HTTP/1.1 200 OK',
    'HTTP/1.1 404 x',
    'HTTP/1.1 99999 x',
    '',
    'x',
    'HTTP/1.1 200 OK HTTP/1.1 404',
  ]);
  const props = [
    `<${d}getetag>${oneOf(roll, ['"1"', '1', 'W/"x"', '', 'true', '<x/>'])}</${d}getetag>`,
    `<${oneOf(roll, ['c:', 'c:', 'C:', ''])}calendar-data${oneOf(roll, ['', ' content-type="text/calendar"'])}>${written}</c:calendar-data>`,
    `<${d}resourcetype><${d}collection/></${d}resourcetype>`,
    `<${d}__proto__>x</${d}__proto__>`,
    '<constructor><prototype>x</prototype></constructor>',
  ];
  const chosen = props.filter((_, at) => (at < 2 ? roll() < 0.85 : roll() < 0.15)).join('');
  const propstat = `<${d}propstat><${d}prop>${chosen}</${d}prop><${d}status>${status}</${d}status></${d}propstat>`;
  return `<${d}response><${d}href>${href}</${d}href>${propstat.repeat(oneOf(roll, [1, 1, 1, 2, 0]))}${roll() < 0.1 ? `<${d}status>${status}</${d}status>` : ''}</${d}response>`;
}
