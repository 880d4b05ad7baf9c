import { ApiError, type Client, type Settings } from '@oddlot/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { isDecimal, sign } from '../../../lib/decimal.ts';
import { dateTime, money, usdc } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { useVenueSecond } from '../../../market/cells.tsx';
import { venueNow } from '../../../market/venue.ts';
import type { Session } from '../../../session/session.ts';
import { chainName, fromMicro, hasChain } from '../../../session/settlement-chain.ts';
import { Button, emptied, Segmented } from '../../../ui/controls.tsx';
import { Code, CopyButton } from '../../../ui/figures.tsx';
import { ErrorSentence, useDoing } from '../../../ui/states.tsx';
import {
  askChainBalance,
  deposit,
  useChainBalance,
  type DepositStep,
  type DepositWay,
} from './deposit.ts';
import { AmountField, checkAmount, SendButton, Terms } from './money-fields.tsx';

type DepositFormProps = Readonly<{ session: Session; owner: Client; settings: Settings }>;

export function DepositForm({ session, owner, settings }: DepositFormProps) {
  const t = useWords();
  if (!hasChain(settings)) return <p className="text-12 text-muted">{t('account.noChain')}</p>;
  return <Ways session={session} owner={owner} settings={settings} />;
}

type Way = DepositWay | 'relay';

const RelayDeposit = lazy(async () => ({
  default: (await import('./relay-deposit.tsx')).RelayDeposit,
}));

function Ways({ session, owner, settings }: DepositFormProps) {
  const t = useWords();
  const [way, setWay] = useState<Way>('permit');
  const ways: readonly Way[] = [
    'permit',
    ...(session.kind === 'wallet' ? (['transaction'] as const) : []),
    ...(settings.has_relay ? (['relay'] as const) : []),
  ];
  return (
    <>
      {ways.length > 1 && (
        <Segmented
          label={t('account.way')}
          size="small"
          value={way}
          onChange={setWay}
          segments={ways.map((value) => ({ value, label: t(`account.ways.${value}`) }))}
        />
      )}
      {way === 'relay' && settings.has_relay ? (
        <Suspense>
          <RelayDeposit user={session.address} settings={settings} />
        </Suspense>
      ) : (
        <>
          <FromHere
            session={session}
            owner={owner}
            settings={settings}
            way={way === 'relay' ? 'permit' : way}
          />
          <FromElsewhere settings={settings} />
        </>
      )}
    </>
  );
}

function FromHere({
  session,
  owner,
  settings,
  way,
}: DepositFormProps & { readonly way: DepositWay }) {
  const t = useWords();
  const { address } = session;
  const balance = useChainBalance(settings, address);
  const [amount, setAmount] = useState('');
  const [step, setStep] = useState<DepositStep>('sign');
  const doing = useDoing();
  const least = fromMicro(settings.min_deposit);
  const limits = { most: balance, least };
  const { isFit } = checkAmount(amount, limits, t);
  const send = async (): Promise<void> => {
    if (!isFit || doing.isBusy) return;
    const isSent = await doing.run(() =>
      deposit({ user: address, owner, settings, amount, way, onStep: setStep }),
    );
    askChainBalance();
    if (isSent) setAmount(emptied(amount));
  };
  const isEmpty = isDecimal(balance) && sign(balance) === 0;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-12 text-muted">
        {t(way === 'permit' ? 'account.permitText' : 'account.transactionText')}
      </p>
      <AmountField
        value={amount}
        onChange={setAmount}
        onEnter={() => void send()}
        limits={limits}
        source={t('account.onChainSource', { chain: chainName(settings) })}
      />
      <Terms
        rows={[
          { label: t('account.arrives'), value: t('account.perpPart') },
          { label: t('account.leastDeposit'), value: usdc(least) },
        ]}
      />
      <SendButton
        doing={doing}
        isReady={isFit}
        label={
          doing.isBusy
            ? t(`account.depositStep.${step}`)
            : isFit
              ? t('account.depositButton', { amount: money(amount) })
              : t(amount === '' ? 'account.enterAmount' : 'account.form.deposit')
        }
        onSend={() => void send()}
      />
      {isEmpty && <Elsewhere session={session} hasFaucet={settings.faucet_amount !== null} />}
    </div>
  );
}

function Elsewhere({ session, hasFaucet }: Readonly<{ session: Session; hasFaucet: boolean }>) {
  const t = useWords();
  const navigate = useNavigate();
  const isBurner = session.kind === 'burner';
  const search = isBurner
    ? { tab: 'money', do: 'withdraw' }
    : { tab: 'money', do: 'faucet', place: 'chain' };
  return (
    <p className="text-12 text-muted">
      {t('account.emptyOnChain')}{' '}
      {(isBurner || hasFaucet) && (
        <button
          type="button"
          className="text-accent hover:underline"
          onClick={() => void navigate({ to: '/account', search })}
        >
          {t(isBurner ? 'account.toWithdraw' : 'account.toFaucet')}
        </button>
      )}
    </p>
  );
}

function FromElsewhere({ settings }: { readonly settings: Settings }) {
  const t = useWords();
  const { bridge2_contract_address: bridge } = settings;
  const chain = chainName(settings);
  return (
    <details className="border-t border-line pt-3">
      <summary className="text-12 text-muted hover:text-text">{t('account.plainTitle')}</summary>
      <div className="mt-2 flex flex-col gap-2">
        <p className="border-s-2 border-warning ps-3 text-12">{t('account.plainWarning')}</p>
        <p className="text-12 text-muted">
          {t('account.plainText', { chain, least: money(fromMicro(settings.min_deposit)) })}
        </p>
        <p className="flex items-center gap-2">
          <Code>{bridge}</Code>
          <CopyButton text={bridge} />
        </p>
      </div>
    </details>
  );
}

type Place = 'perp' | 'outcome' | 'chain';

type Next = { readonly ms: number; readonly isGiven: boolean };

type FaucetFormProps = Readonly<{ user: string; owner: Client; settings: Settings }>;

export function FaucetForm({ user, owner, settings }: FaucetFormProps) {
  const t = useWords();
  const search: { readonly place?: unknown } = useSearch({ strict: false });
  const [place, setPlace] = useState<Place>(search.place === 'chain' ? 'chain' : 'perp');
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
