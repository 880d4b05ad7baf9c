import { ApiError, type Client, type Settings } from '@oddlot/sdk';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { money } from '../../../lib/format.ts';
import { dateTime } from '../../../lib/time.ts';
import { useWords } from '../../../lib/words.ts';
import { useVenueSecond } from '../../../market/time-column.tsx';
import { venueNow } from '../../../market/venue.ts';
import { hasChain } from '../../../session/settlement-chain.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorSentence, useDoing } from '../../../ui/error-sentence.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { askChainBalance } from './use-chain-balance.ts';

type Place = 'perp' | 'outcome' | 'chain';

/** When there is more, and whether there was some this time. */
type Next = { readonly ms: number; readonly isGiven: boolean };

/** Test money, where the venue gives some away. */
export function FaucetForm({
  user,
  owner,
  settings,
}: {
  readonly user: string;
  readonly owner: Client;
  readonly settings: Settings;
}) {
  const t = useWords();
  const search: { readonly place?: unknown } = useSearch({ strict: false });
  const [place, setPlace] = useState<Place>(search.place === 'chain' ? 'chain' : 'perp');
  // Whatever it was asked for, the next time is for all places.
  const [next, setNext] = useState<Next>();
  const { clear, error, isBusy, run } = useDoing();
  const nowMs = useVenueSecond();
  const isEarly = next !== undefined && nowMs < next.ms;
  const amount = money(settings.faucet_amount, { decimals: 0 });
  const ask = (): Promise<boolean> =>
    run(async () => {
      setNext(await askFaucet(owner, { user, place }));
      if (place === 'chain') askChainBalance();
    });
  return (
    <div className="flex flex-col gap-3">
      <p className="text-12 text-muted">{t('account.faucetText')}</p>
      <Segmented
        label={t('account.faucetPlace')}
        value={place}
        onChange={(chosen) => {
          setPlace(chosen);
          clear();
        }}
        segments={[
          { value: 'perp', label: t('account.perp') },
          { value: 'outcome', label: t('account.outcome') },
          ...(hasChain(settings) ? [{ value: 'chain' as const, label: t('account.chain') }] : []),
        ]}
      />
      {place === 'chain' && <p className="text-12 text-muted">{t('account.faucetChainText')}</p>}
      <Button
        kind="accent"
        size="large"
        isWide
        isBusy={isBusy}
        disabled={isEarly}
        onClick={() => void ask()}
      >
        {t('account.faucetButton', { amount })}
      </Button>
      {error !== undefined && <ErrorSentence error={error} />}
      {isEarly && !next.isGiven && (
        <p role="alert" className="border-s-2 border-warning ps-3 text-12">
          {t('account.faucetLater', { when: dateTime(next.ms) })}
        </p>
      )}
      {next?.isGiven === true && error === undefined && (
        <p role="status" className="text-12 text-muted">
          {t('account.faucetDone', { amount, when: dateTime(next.ms) })}
        </p>
      )}
    </div>
  );
}

async function askFaucet(
  owner: Client,
  { place, user }: { readonly user: string; readonly place: Place },
): Promise<Next> {
  try {
    const asked = place === 'chain' ? { user, onChain: true } : { user, accountType: place };
    return { ms: (await owner.faucet(asked)).nextRequestTime, isGiven: true };
  } catch (refused) {
    if (!(refused instanceof ApiError) || refused.retryAfterMs === undefined) throw refused;
    return { ms: venueNow() + refused.retryAfterMs, isGiven: false };
  }
}
