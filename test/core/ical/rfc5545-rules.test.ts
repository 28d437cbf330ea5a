import { describe, expect, it } from 'vitest';
import { expandObject } from '../../../core/ical/expand.ts';
import { isoIn } from '../../../core/time/time-zone.ts';

/**
 * Every example of RFC 5545 3.8.5.3 with its list of dates, unchanged. An ellipsis there ends the list here:
 * only the dates before it are compared. At 9:00 unless times are given.
 */
const EXAMPLES: readonly (readonly [start: string, rule: string, dates: string])[] = [
  ['19970902', 'FREQ=DAILY;COUNT=10', '1997 EDT September 2-11'],
  [
    '19970902',
    'FREQ=DAILY;UNTIL=19971224T000000Z',
    '1997 EDT September 2-30 October 1-25 EST October 26-31 November 1-30 December 1-23',
  ],
  [
    '19970902',
    'FREQ=DAILY;INTERVAL=2',
    '1997 EDT September 2,4,6,8,10,12,14,16,18,20,22,24,26,28,30 October 2,4,6,8,10,12,14,16,18,20,22,24 EST October 26,28,30 November 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29 December 1,3 ...',
  ],
  ['19970902', 'FREQ=DAILY;INTERVAL=10;COUNT=5', '1997 EDT September 2,12,22 October 2,12'],
  [
    '19980101',
    'FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA',
    '1998 EST January 1-31 1999 EST January 1-31 2000 EST January 1-31',
  ],
  [
    '19980101',
    'FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1',
    '1998 EST January 1-31 1999 EST January 1-31 2000 EST January 1-31',
  ],
  [
    '19970902',
    'FREQ=WEEKLY;COUNT=10',
    '1997 EDT September 2,9,16,23,30 October 7,14,21 EST October 28 November 4',
  ],
  [
    '19970902',
    'FREQ=WEEKLY;UNTIL=19971224T000000Z',
    '1997 EDT September 2,9,16,23,30 October 7,14,21 EST October 28 November 4,11,18,25 December 2,9,16,23',
  ],
  [
    '19970902',
    'FREQ=WEEKLY;INTERVAL=2;WKST=SU',
    '1997 EDT September 2,16,30 October 14 EST October 28 November 11,25 December 9,23 1998 EST January 6,20 February 3,17 ...',
  ],
  [
    '19970902',
    'FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH',
    '1997 EDT September 2,4,9,11,16,18,23,25,30 October 2',
  ],
  [
    '19970902',
    'FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH',
    '1997 EDT September 2,4,9,11,16,18,23,25,30 October 2',
  ],
  [
    '19970901',
    'FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR',
    '1997 EDT September 1,3,5,15,17,19,29 October 1,3,13,15,17 EST October 27,29,31 November 10,12,14,24,26,28 December 8,10,12,22',
  ],
  [
    '19970902',
    'FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH',
    '1997 EDT September 2,4,16,18,30 October 2,14,16',
  ],
  [
    '19970905',
    'FREQ=MONTHLY;COUNT=10;BYDAY=1FR',
    '1997 EDT September 5 October 3 EST November 7 December 5 1998 EST January 2 February 6 March 6 April 3 EDT May 1 June 5',
  ],
  [
    '19970905',
    'FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR',
    '1997 EDT September 5 October 3 EST November 7 December 5',
  ],
  [
    '19970907',
    'FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU',
    '1997 EDT September 7,28 EST November 2,30 1998 EST January 4,25 March 1,29 EDT May 3,31',
  ],
  [
    '19970922',
    'FREQ=MONTHLY;COUNT=6;BYDAY=-2MO',
    '1997 EDT September 22 October 20 EST November 17 December 22 1998 EST January 19 February 16',
  ],
  [
    '19970928',
    'FREQ=MONTHLY;BYMONTHDAY=-3',
    '1997 EDT September 28 EST October 29 November 28 December 29 1998 EST January 29 February 26 ...',
  ],
  [
    '19970902',
    'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15',
    '1997 EDT September 2,15 October 2,15 EST November 2,15 December 2,15 1998 EST January 2,15',
  ],
  [
    '19970930',
    'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1',
    '1997 EDT September 30 October 1 EST October 31 November 1,30 December 1,31 1998 EST January 1,31 February 1',
  ],
  [
    '19970910',
    'FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15',
    '1997 EDT September 10,11,12,13,14,15 1999 EST March 10,11,12,13',
  ],
  [
    '19970902',
    'FREQ=MONTHLY;INTERVAL=2;BYDAY=TU',
    '1997 EDT September 2,9,16,23,30 EST November 4,11,18,25 1998 EST January 6,13,20,27 March 3,10,17,24,31 ...',
  ],
  [
    '19970610',
    'FREQ=YEARLY;COUNT=10;BYMONTH=6,7',
    '1997 EDT June 10 July 10 1998 EDT June 10 July 10 1999 EDT June 10 July 10 2000 EDT June 10 July 10 2001 EDT June 10 July 10',
  ],
  [
    '19970310',
    'FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3',
    '1997 EST March 10 1999 EST January 10 February 10 March 10 2001 EST January 10 February 10 March 10 2003 EST January 10 February 10 March 10',
  ],
  [
    '19970101',
    'FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200',
    '1997 EST January 1 EDT April 10 July 19 2000 EST January 1 EDT April 9 July 18 2003 EST January 1 EDT April 10 July 19 2006 EST January 1',
  ],
  ['19970519', 'FREQ=YEARLY;BYDAY=20MO', '1997 EDT May 19 1998 EDT May 18 1999 EDT May 17 ...'],
  ['19970512', 'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', '1997 EDT May 12 1998 EDT May 11 1999 EDT May 17 ...'],
  [
    '19970313',
    'FREQ=YEARLY;BYMONTH=3;BYDAY=TH',
    '1997 EST March 13,20,27 1998 EST March 5,12,19,26 1999 EST March 4,11,18,25 ...',
  ],
  [
    '19970605',
    'FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8',
    '1997 EDT June 5,12,19,26 July 3,10,17,24,31 August 7,14,21,28 1998 EDT June 4,11,18,25 July 2,9,16,23,30 August 6,13,20,27 1999 EDT June 3,10,17,24 July 1,8,15,22,29 August 5,12,19,26 ...',
  ],
  [
    '19970902',
    'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13\r\nEXDATE;TZID=America/New_York:19970902T090000',
    '1998 EST February 13 March 13 November 13 1999 EDT August 13 2000 EDT October 13 ...',
  ],
  [
    '19970913',
    'FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13',
    '1997 EDT September 13 October 11 EST November 8 December 13 1998 EST January 10 February 7 March 7 EDT April 11 May 9 June 13 ...',
  ],
  [
    '19961105',
    'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
    '1996 EST November 5 2000 EST November 7 2004 EST November 2 ...',
  ],
  [
    '19970904',
    'FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3',
    '1997 EDT September 4 October 7 EST November 6',
  ],
  [
    '19970929',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2',
    '1997 EDT September 29 EST October 30 November 27 December 30 1998 EST January 29 February 26 March 30 ...',
  ],
  // As its errata have it: 17:00 in New York, not UTC.
  ['19970902', 'FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T210000Z', '1997 EDT September 2 09:00,12:00,15:00'],
  [
    '19970902',
    'FREQ=MINUTELY;INTERVAL=15;COUNT=6',
    '1997 EDT September 2 09:00,09:15,09:30,09:45,10:00,10:15',
  ],
  ['19970902', 'FREQ=MINUTELY;INTERVAL=90;COUNT=4', '1997 EDT September 2 09:00,10:30,12:00,13:30'],
  ...[
    'FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40',
    'FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16',
  ].map((rule) => {
    const hours = ['09', '10', '11', '12', '13', '14', '15', '16'];
    const times = hours.flatMap((hour) => [`${hour}:00`, `${hour}:20`, `${hour}:40`]).join();
    return ['19970902', rule, `1997 EDT September 2 ${times} September 3 ${times} ...`] as const;
  }),
  ['19970805', 'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO', '1997 EDT August 5,10,19,24'],
  ['19970805', 'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU', '1997 EDT August 5,17,19,31'],
  ['20070115', 'FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5', '2007 EST January 15,30 February 15 EDT March 15,30'],
];

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const two = (value: number) => String(value).padStart(2, '0');

/** `1997 EDT September 2,4-6` as ISO 8601 with the offset. */
function timesIn(dates: string): string[] {
  let year = '';
  let offset = '';
  let month = '';
  const times: string[] = [];
  for (const word of dates.replace(' ...', '').split(' ')) {
    if (/^\d{4}$/.test(word)) year = word;
    else if (word === 'EDT' || word === 'EST') offset = word === 'EDT' ? '-04:00' : '-05:00';
    else if (MONTHS.includes(word)) month = two(MONTHS.indexOf(word) + 1);
    else if (word.includes(':')) {
      const day = times.pop()?.slice(0, 11) ?? '';
      times.push(...word.split(',').map((time) => `${day}${time}:00${offset}`));
    } else {
      for (const part of word.split(',')) {
        const [first = 0, last = first] = part.split('-').map(Number);
        for (let day = first; day <= last; day += 1) {
          times.push(`${year}-${month}-${two(day)}T09:00:00${offset}`);
        }
      }
    }
  }
  return times;
}

describe('the examples of RFC 5545 3.8.5.3', () => {
  it.each(EXAMPLES)('%s %s', (start, rule, dates) => {
    const ics = [
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT',
      'UID:example',
      `DTSTART;TZID=America/New_York:${start}T090000`,
      `RRULE:${rule}`,
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ].join('\r\n');
    const query = { calendar: '', timezone: 'UTC', from: new Date('1990-01-01'), to: new Date('2010-01-01') };
    const wanted = timesIn(dates);
    const { events } = expandObject(ics, query);
    const shown = dates.endsWith('...') ? events.slice(0, wanted.length) : events;
    expect(shown.map((event) => isoIn(event.start, 'America/New_York'))).toEqual(wanted);
  });
});
