import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { money } from '../lib/format.ts';
import { useWords } from '../lib/words.ts';
import { useSettings } from '../market/queries.ts';
import { Button, Spinner } from '../ui/controls.tsx';
import { EmptyState, ErrorSentence } from '../ui/states.tsx';
import { classes } from '../ui/styles.ts';
import { approveOwnAgent } from './browser-wallets.ts';
import { canKeepKeys } from './key-safe.ts';
import {
  exportBurner,
  forgetView,
  keepBurner,
  loadSigning,
  NO_TRADER,
  sessionStore,
  setSession,
} from './session.ts';

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
          isScreen
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

const STEPS = ['key', 'money', 'agent'] as const;
type Step = (typeof STEPS)[number];

type FirstVisit = { readonly at: 'idle' | Step | 'done'; readonly error: unknown };

export const firstVisit = createStore<FirstVisit>(() => ({ at: 'idle', error: undefined }));

// The steps remain visible until the agent is lost or the account changes.
sessionStore.subscribe(({ session }) => {
  const isOver = firstVisit.getState().at === 'done' && session?.trader === undefined;
  if (isOver) firstVisit.setState({ at: 'idle' });
});

export function isUnderWay({ at, error }: FirstVisit): boolean {
  return at !== 'idle' && at !== 'done' && error === undefined;
}

/** Opens a test account. A retry resumes at the step that failed. */
export async function openTestAccount(): Promise<void> {
  if (isUnderWay(firstVisit.getState())) return;
  try {
    firstVisit.setState({ at: 'key', error: undefined });
    const { clientOf, keyWallet, newKey } = await loadSigning();
    const key = (await exportBurner()) ?? newKey();
    await keepBurner(key);
    const wallet = keyWallet(key);
    const owner = clientOf(wallet);

    firstVisit.setState({ at: 'money' });
    const { exists } = await owner.accountStatus({ user: wallet.address });
    if (!exists) await owner.faucet({ user: wallet.address });
    forgetView();
    setSession({ kind: 'burner', address: wallet.address, owner, ...NO_TRADER });

    firstVisit.setState({ at: 'agent' });
    const trader = await approveOwnAgent(owner, wallet.address);
    const { session } = sessionStore.getState();
    if (session?.owner === owner) setSession({ ...session, ...trader });
    firstVisit.setState({ at: 'done' });
  } catch (fault) {
    firstVisit.setState({ error: fault });
  }
}
