import * as z from 'zod';
import data from './windows-zones.json' with { type: 'json' };

const names = z.record(z.string(), z.string()).transform((record) => new Map(Object.entries(record)));

const { zones, displayNames } = z
  .strictObject({
    /** The names of Windows, as Outlook and Exchange write them. Source: Unicode CLDR windowsZones.xml, territory 001. */
    zones: names,
    /** What Windows shows for them in English, with names of older versions. Some programs write it as TZID. */
    displayNames: names,
  })
  .parse(data);

/** The IANA name of a zone of Windows. @param name  its own, or what Windows shows: `(UTC-05:00) Eastern Time (US & Canada)` */
export function windowsZone(name: string): string | undefined {
  const displayed = displayNames.get(name.replace(/^\((?:UTC|GMT)[^)]*\)\s*/, ''));
  return zones.get(displayed ?? name);
}
