import { useStore } from 'zustand';
import { money } from '../lib/format.ts';
import { useWords } from '../lib/words.ts';
import { useSettings } from '../market/queries.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FirstSteps } from './first-steps.tsx';
import { firstVisit, openTestAccount } from './first-visit.ts';

/** In place of a screen that is about an account, for who has none. */
export function NoAccount({ title }: { readonly title: string }) {
  const t = useWords();
  const { data: settings } = useSettings();
  const { at, error } = useStore(firstVisit);
  const amount = money(settings?.faucet_amount, { decimals: 0 });
  const hasFaucet = settings !== undefined && settings.faucet_amount !== null;
  return (
    <div className="flex h-[60dvh] flex-col items-center justify-center">
      <div className="h-auto">
        <EmptyState
          title={title}
          text={hasFaucet ? t('first.text', { amount }) : t('first.textNoFaucet')}
          action={
            hasFaucet && (
              <Button
                kind="accent"
                isBusy={at !== 'idle' && at !== 'done' && error === undefined}
                onClick={() => void openTestAccount()}
              >
                {t('first.button')}
              </Button>
            )
          }
        />
      </div>
      <FirstSteps />
    </div>
  );
}
