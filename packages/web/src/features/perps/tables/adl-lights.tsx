import { useWords } from '../../../lib/words.ts';
import { classes } from '../../../ui/classes.ts';

const LIGHTS = [1, 2, 3, 4, 5];

/** How early this position would be closed against a bankrupt one: five lights are first in line. */
export function AdlLights({ quantile }: { readonly quantile: number }) {
  const t = useWords();
  const text = t('perps.adl.rank', { rank: quantile });
  return (
    <span className="inline-flex items-center gap-px" role="img" aria-label={text} title={text}>
      {LIGHTS.map((light) => (
        <span
          key={light}
          className={classes('h-2.5 w-1', light <= quantile ? 'bg-warning' : 'bg-line')}
        />
      ))}
    </span>
  );
}
