import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { texts } from 'words:account';
import { usePageTitle } from '../../lib/browser.ts';
import { add, sign, subtract } from '../../lib/decimal.ts';
import { money } from '../../lib/format.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { accountStates } from '../../market/account.ts';
import { useSettings } from '../../market/queries.ts';
import { NoAccount } from '../../session/first-steps.tsx';
import { useIsSessionLoaded, useSession, type Session } from '../../session/session.ts';
import { chainName, hasChain } from '../../session/settlement-chain.ts';
import { Segmented, Tabs } from '../../ui/controls.tsx';
import { Badge, CopyButton, Money, Stat } from '../../ui/figures.tsx';
import { DepositForm, FaucetForm } from './money/deposit-form.tsx';
import { useChainBalance } from './money/deposit.ts';
import { Movements, UnderWay } from './money/movements.tsx';
import { TransferForm } from './money/transfer-form.tsx';
import { WithdrawForm } from './money/withdraw-form.tsx';

addWords(texts);

const KeysTab = lazy(async () => ({ default: (await import('./key-ring/keys-tab.tsx')).KeysTab }));
const PreferencesTab = lazy(async () => ({
  default: (await import('./preferences-tab.tsx')).PreferencesTab,
}));

const TABS = ['money', 'keys', 'preferences'] as const;

export function Screen() {
  const t = useWords();
  usePageTitle(t('nav.account'));
  const session = useSession();
  const isLoaded = useIsSessionLoaded();
  const navigate = useNavigate();
  const search: { readonly tab?: unknown } = useSearch({ strict: false });
  const tab = TABS.find((each) => each === search.tab) ?? 'money';
  if (!isLoaded) return null;
  if (session === undefined) return <NoAccount title={t('account.none')} />;
  return (
    <div className="flex min-h-full flex-col bg-panel">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-3">
        <h1 className="text-20 font-semibold">{t('nav.account')}</h1>
        <Badge tone={session.kind === 'spectator' ? 'warning' : 'plain'}>
          {t(`account.kind.${session.kind}`)}
        </Badge>
        <span className="flex min-w-0 items-center gap-2">
          <code className="min-w-0 font-mono text-11 break-all text-muted tablet:text-12">
            {session.address}
          </code>
          <CopyButton text={session.address} />
        </span>
      </div>
      <div className="flex-1">
        <Suspense>
          <Tabs
            label={t('nav.account')}
            value={tab}
            onChange={(next) => void navigate({ to: '/account', search: { tab: next } })}
            tabs={[
              {
                value: 'money',
                label: t('account.money'),
                content: <MoneyTab session={session} />,
              },
              { value: 'keys', label: t('account.keys'), content: <KeysTab session={session} /> },
              {
                value: 'preferences',
                label: t('account.preferences'),
                content: <PreferencesTab />,
              },
            ]}
          />
        </Suspense>
      </div>
    </div>
  );
}

const FORMS = ['deposit', 'withdraw', 'transfer', 'faucet'] as const;

export function MoneyTab({ session }: { readonly session: Session }) {
  const t = useWords();
  const { data: settings } = useSettings();
  const navigate = useNavigate();
  const search: { readonly do?: unknown } = useSearch({ strict: false });
  const offered = FORMS.filter((form) => form !== 'faucet' || settings?.faucet_amount !== null);
  const form = offered.find((each) => each === search.do) ?? 'deposit';
  const { owner } = session;
  return (
    <div className="flex flex-col">
      <Balances user={session.address} />
      <div className="grid desktop:h-[calc(100dvh-214px)] desktop:grid-cols-[400px_minmax(0,1fr)]">
        <section
          aria-label={t('account.move')}
          className="border-line p-4 max-desktop:border-b desktop:overflow-y-auto desktop:border-e"
        >
          <div className="flex flex-col gap-4 tablet:max-w-92">
            <Segmented
              label={t('account.move')}
              value={form}
              onChange={(next) =>
                void navigate({ to: '/account', search: { tab: 'money', do: next }, replace: true })
              }
              segments={offered.map((value) => ({ value, label: t(`account.form.${value}`) }))}
            />
            {owner === undefined || settings === undefined ? (
              <p className="text-12 text-muted">
                {t(session.kind === 'wallet' ? 'account.locked' : 'account.readOnly')}
              </p>
            ) : form === 'deposit' ? (
              <DepositForm session={session} owner={owner} settings={settings} />
            ) : form === 'withdraw' ? (
              <WithdrawForm user={session.address} owner={owner} settings={settings} />
            ) : form === 'transfer' ? (
              <TransferForm user={session.address} owner={owner} />
            ) : (
              <FaucetForm user={session.address} owner={owner} settings={settings} />
            )}
          </div>
        </section>
        <div className="flex min-h-0 min-w-0 flex-col">
          <UnderWay user={session.address} />
          <Movements user={session.address} />
        </div>
      </div>
    </div>
  );
}

export function Balances({ user }: { readonly user: string }) {
  const t = useWords();
  const { data: settings } = useSettings();
  const perp = accountStates.use({ user, accountType: 'perp' }, ({ state }) => state);
  const outcome = accountStates.use({ user, accountType: 'outcome' }, ({ state }) => state);
  const chain = settings !== undefined && hasChain(settings) ? settings : undefined;
  const onChain = useChainBalance(chain, user);
  const [perpValue, outcomeValue] = [
    perp?.marginSummary.accountValue,
    outcome?.marginSummary.accountValue,
  ];
  const whole =
    perpValue === undefined || outcomeValue === undefined
      ? undefined
      : add(perpValue, outcomeValue);
  const held = perp && subtract(perp.accountValuePlusWithdrawHold, perp.marginSummary.accountValue);
  const free = (amount: string | undefined): string => t('account.free', { amount: money(amount) });
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 border-b border-line px-4 py-3 tablet:flex tablet:flex-wrap tablet:gap-x-10">
      <Stat unit="USDC" label={t('account.equity')} isLarge>
        <Money value={whole} />
      </Stat>
      <Stat unit="USDC" label={t('account.perp')} note={free(perp?.withdrawable)}>
        <Money value={perpValue} />
      </Stat>
      <Stat unit="USDC" label={t('account.outcome')} note={free(outcome?.withdrawable)}>
        <Money value={outcomeValue} />
      </Stat>
      {held !== undefined && sign(held) !== 0 && (
        <Stat unit="USDC" label={t('account.held')} note={t('account.heldText')}>
          <Money value={held} />
        </Stat>
      )}
      {chain !== undefined && (
        <Stat unit="USDC" label={t('account.onChain')} note={chainName(chain)}>
          <Money value={onChain} />
        </Stat>
      )}
    </dl>
  );
}
