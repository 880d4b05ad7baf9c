import { useStore } from 'zustand';
import { money } from '../lib/format.ts';
import { useWords } from '../lib/words.ts';
import { useSettings } from '../market/queries.ts';
import { classes } from '../ui/classes.ts';
import { ErrorSentence } from '../ui/error-sentence.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { firstVisit, openTestAccount, STEPS } from './first-visit.ts';
import { canKeepKeys } from './key-safe.ts';

/** The three steps to a test account, each as it happens; nothing before the button was pressed. */
export function FirstSteps({ isInLine = false }: { readonly isInLine?: boolean }) {
  const t = useWords();
  const { at, error } = useStore(firstVisit);
  const { data: settings } = useSettings();
  if (at === 'idle') return null;
  const reached = at === 'done' ? STEPS.length : STEPS.indexOf(at);
  const amount = money(settings?.faucet_amount, { decimals: 0 });
  const texts = {
    key: t('first.key'),
    money: t('first.money', { amount }),
    agent: t('first.agent'),
  };
  return (
    <div className="flex flex-col gap-2">
      <ol
        aria-live="polite"
        className={classes('flex gap-x-5 gap-y-1 text-12', isInLine ? 'flex-wrap' : 'flex-col')}
      >
        {STEPS.map((step, place) => {
          const state = place < reached ? 'done' : place > reached ? 'ahead' : 'now';
          return (
            <li
              key={step}
              aria-current={state === 'now' ? 'step' : undefined}
              className={classes(
                'flex items-center gap-2',
                state === 'ahead' ? 'text-muted' : 'text-text',
              )}
            >
              <span className="flex w-4 justify-center text-accent" aria-hidden="true">
                {state === 'done' ? (
                  '✓'
                ) : state === 'now' && error === undefined ? (
                  <Spinner />
                ) : (
                  '·'
                )}
              </span>
              {texts[step]}
            </li>
          );
        })}
      </ol>
      {error !== undefined && (
        <ErrorSentence
          error={error}
          onRemedy={({ kind }) => (kind === 'retry' ? () => void openTestAccount() : undefined)}
        />
      )}
      {!canKeepKeys() && <p className="text-12 text-warning">{t('first.notKept')}</p>}
    </div>
  );
}
