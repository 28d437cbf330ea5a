import { wordsIn } from '../../core/time-zone.ts';
import { Quoted } from './third-party-text.tsx';

/** An instant in the owner's time zone; a date that cannot be read is shown as it came. */
export function When({ at, zone }: { at: Date | string; zone: string }) {
  const date = typeof at === 'string' ? new Date(at) : at;
  if (Number.isNaN(date.getTime())) return <Quoted text={String(at)} />;
  return <time dateTime={date.toISOString()}>{wordsIn(date, zone)}</time>;
}
