import { Link } from '@tanstack/react-router';
import { classes } from '../../../ui/classes.ts';

/** A market by its name, in the colour of the side where it has one. */
export function MarketLink({
  name,
  tone,
}: {
  readonly name: string;
  readonly tone?: 'buy' | 'sell' | undefined;
}) {
  return (
    <Link
      to={`/trade/${name}`}
      search={(before: object) => before}
      title={name}
      className={classes(
        'block min-w-0 truncate hover:underline',
        tone === 'buy' && 'text-buy',
        tone === 'sell' && 'text-sell',
      )}
    >
      {name}
    </Link>
  );
}
