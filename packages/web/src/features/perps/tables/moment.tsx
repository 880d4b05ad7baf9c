import { dateTimeSecond, wholeDate } from '../../../lib/time.ts';

/** When something happened, to the second; the whole date when it is pointed at. */
export function Moment({ ms }: { readonly ms: number }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={wholeDate(ms)}>
      {dateTimeSecond(ms)}
    </time>
  );
}
