import { DATA } from './page-protocol.ts';
import { timeFromNow } from './time-from-now.ts';
import { DateLanguage, whenText } from './when.tsx';

/** An instant as seen from now. Its title has the instant in the owner's time zone. */
export function RelativeTime({ at, now, zone }: { at: Date; now: Date; zone: string }) {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  return (
    <DateLanguage.Consumer>
      {(language: string) => (
        <time
          dateTime={at.toISOString()}
          title={whenText(at, zone, language)}
          {...{ [DATA.fromNow]: seconds }}
        >
          {timeFromNow(seconds)}
        </time>
      )}
    </DateLanguage.Consumer>
  );
}
