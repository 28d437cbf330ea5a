import { Quoted } from './third-party-text.tsx';

/** An instant in the owner's time zone; a date that cannot be read is shown as it came. */
export function When({ at, zone }: { at: Date | string; zone: string }) {
  const date = typeof at === 'string' ? new Date(at) : at;
  if (Number.isNaN(date.getTime())) return <Quoted text={String(at)} />;
  const text = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: zone,
    timeZoneName: 'short',
  }).format(date);
  return <time dateTime={date.toISOString()}>{text}</time>;
}
