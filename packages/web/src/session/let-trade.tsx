import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useStore } from 'zustand';
import { useWords } from '../lib/words.ts';
import { Button } from '../ui/controls.tsx';
import { ErrorSentence, useDoing } from '../ui/states.tsx';
import { enableTrading, hasAccount } from './browser-wallets.ts';
import { firstVisit, isUnderWay } from './first-steps.tsx';
import { useSession, type Session } from './session.ts';

const EVERY_MS = 3_000;

export function LetTrade() {
  const t = useWords();
  const session = useSession();
  const { error, isBusy, run } = useDoing();
  if (!useIsThere(session)) return <FirstMoney />;
  const isConnected = session?.owner !== undefined;
  return (
    <div className="flex flex-col gap-2">
      <Button
        kind="accent"
        size="large"
        isWide
        isBusy={isBusy}
        disabled={!isConnected}
        onClick={() => void run(enableTrading)}
      >
        {t('header.enableTrading')}
      </Button>
      <p className="text-12 text-muted">
        {isConnected
          ? t(session?.kind === 'wallet' ? 'wallet.letTrade' : 'wallet.letTradeTest')
          : t('wallet.comeBack')}
      </p>
      {error !== undefined && <ErrorSentence error={error} />}
    </div>
  );
}

function useIsThere(session: Session | undefined): boolean {
  const owner = session?.owner;
  const { data = true } = useQuery({
    queryKey: ['hasAccount', session?.address],
    queryFn: () => hasAccount(owner!, session!.address),
    enabled: owner !== undefined,
    refetchInterval: ({ state }) => (state.data === false ? EVERY_MS : false),
  });
  return data;
}

export function MayNotTrade() {
  const t = useWords();
  const session = useSession();
  const isOpening = useStore(firstVisit, isUnderWay);
  const isThere = useIsThere(session);
  const { isBusy, run } = useDoing();
  if (session?.owner === undefined || session.trader !== undefined || isOpening) return null;
  if (!isThere) return null;
  return (
    <div
      role="status"
      className="flex shrink-0 flex-wrap items-center justify-between gap-x-3 border-b border-line bg-warning/8 px-3 py-1 text-12 text-warning"
    >
      <span>{t('wallet.mayNot')}</span>
      <Button size="small" isBusy={isBusy} onClick={() => void run(enableTrading)}>
        {t('header.enableTrading')}
      </Button>
    </div>
  );
}

function FirstMoney() {
  const t = useWords();
  const navigate = useNavigate();
  const search = { tab: 'money', do: 'deposit' };
  return (
    <div className="flex flex-col gap-2">
      <Button
        kind="accent"
        size="large"
        isWide
        onClick={() => void navigate({ to: '/account' as '/', search: search as never })}
      >
        {t('error.addFunds')}
      </Button>
      <p className="text-12 text-muted">{t('wallet.depositFirst')}</p>
    </div>
  );
}
