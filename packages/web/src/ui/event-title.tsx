import { classes } from './classes.ts';

type EventTitleProps = {
  readonly title: string;
  /** Leaves the day of a time out, where the time that is left stands beside it. */
  readonly isShort?: boolean;
};

/** A title; what stands in brackets at its end, often a time, steps back. */
export function EventTitle({ title, isShort = false }: EventTitleProps) {
  const { aside, main } = partsOf(title);
  const shown = isShort ? aside?.replace(DAY, '') : aside;
  return (
    <>
      {main}
      {shown !== undefined && (
        <>
          {' '}
          <span
            className={classes(
              'text-[max(0.75em,11px)] font-normal text-muted',
              TIME.test(shown) && 'whitespace-nowrap',
            )}
          >
            {shown}
          </span>
        </>
      )}
    </>
  );
}

/** In two lines where rows are narrow: a name is not cut because of the time behind it. */
export function StackedTitle({ title }: { readonly title: string }) {
  const { aside, main } = partsOf(title);
  if (aside === undefined) {
    return <span className="line-clamp-2 leading-tight whitespace-normal">{main}</span>;
  }
  return (
    <>
      <span className="block truncate leading-tight">{main}</span>
      <span className="block truncate text-11 leading-tight text-muted">{aside.slice(1, -1)}</span>
    </>
  );
}

function partsOf(title: string): { readonly main: string; readonly aside: string | undefined } {
  const [, main = title, aside] = /^(.*\S)\s*(\([^()]+\))$/.exec(title) ?? [];
  return { main, aside };
}

/** `(15:00–15:15 UTC)`, with or without a day: short enough to stay in one line. */
const TIME = /^\([\p{L}\d ,]*\d{2}:\d{2}–\d{2}:\d{2}[\p{L} ]*\)$/u;
/** `15 Nov 2026, ` before a time. */
const DAY = /\d{1,2} \p{L}{3} \d{4}, (?=\d{2}:\d{2})/u;
