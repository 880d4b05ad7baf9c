import { classes } from './classes.ts';
import { Spinner } from './button.tsx';

type LadderProps = {
  readonly label: string;
  readonly steps: readonly string[];
  /** How many steps are behind it; all of them when it is through. */
  readonly reached: number;
  /** It does not get on: nothing turns. */
  readonly isStopped?: boolean;
};

export function Ladder({ label, steps, reached, isStopped = false }: LadderProps) {
  return (
    <ol aria-label={label} aria-live="polite" className="flex min-w-0 flex-1">
      {steps.map((step, place) => {
        const state = place < reached ? 'done' : place === reached ? 'now' : 'ahead';
        return (
          <li
            key={step}
            aria-current={state === 'now' ? 'step' : undefined}
            className="flex min-w-0 flex-1 flex-col gap-1"
          >
            <span
              className={classes(
                'h-0.5 rounded-full',
                place < steps.length - 1 && 'me-1',
                state === 'done'
                  ? 'bg-accent'
                  : state === 'now'
                    ? isStopped
                      ? 'bg-warning'
                      : 'bg-accent/40'
                    : 'bg-line',
              )}
            />
            <span
              className={classes(
                'flex items-center gap-1.5 truncate text-12',
                state === 'done' ? 'text-text' : state === 'now' ? 'text-muted' : 'text-faint',
              )}
            >
              {state === 'done' && (
                <span aria-hidden="true" className="text-accent">
                  ✓
                </span>
              )}
              {state === 'now' && !isStopped && <Spinner />}
              <span className="truncate">{step}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
