import data from './windows-zones.json' with { type: 'json' };

/** The names of Windows, as Outlook and Exchange write them. Source: Unicode CLDR windowsZones.xml, territory 001. */
const ZONES = new Map(Object.entries(data.zones));
/** What Windows shows for them in English, with names of older versions. Some programs write it as TZID. */
const DISPLAY_NAMES = new Map(Object.entries(data.displayNames));

/** The IANA name of a zone of Windows. @param name  its own, or what Windows shows: `(UTC-05:00) Eastern Time (US & Canada)` */
export function windowsZone(name: string): string | undefined {
  const displayed = DISPLAY_NAMES.get(name.replace(/^\((?:UTC|GMT)[^)]*\)\s*/, ''));
  return ZONES.get(displayed ?? name);
}
