import type { TxBrief } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { texts } from 'words:explorer';
import { AccountTables } from '../../account-tables/account-tables.tsx';
import { usePageTitle } from '../../lib/browser.ts';
import { add } from '../../lib/decimal.ts';
import { short } from '../../lib/format.ts';
import { isAddress } from '../../lib/typed-text.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { useOlder } from '../../market/account-lists.ts';
import { accountStates } from '../../market/account.ts';
import { useSettings } from '../../market/queries.ts';
import { reader } from '../../market/venue.ts';
import { spectate } from '../../session/browser-wallets.ts';
import { useSession } from '../../session/session.ts';
import { Button } from '../../ui/controls.tsx';
import {
  AddressLink,
  Badge,
  Code,
  CopyButton,
  Money,
  SimulatedBadge,
  Stat,
} from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Head } from './head.tsx';
import { TxsTable } from './txs-table.tsx';

addWords(texts);

export function Screen() {
  const t = useWords();
  const { address: text = '' }: { readonly address?: string } = useParams({ strict: false });
  const title = t('explorer.addressTitle', { address: short(text) });
  usePageTitle(title);
  return (
    <div className="flex min-h-full flex-col bg-panel">
      <Head title={title} />
      {isAddress(text) ? (
        <Account user={text.toLowerCase()} />
      ) : (
        <EmptyState title={t('explorer.noAddress')} text={t('explorer.noAddressText')} />
      )}
    </div>
  );
}

function Account({ user }: { readonly user: string }) {
  const t = useWords();
  const navigate = useNavigate();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  return (
    <>
      <Who user={user} />
      <Worth user={user} />
      <div className="min-h-80 flex-1">
        <AccountTables
          user={user}
          chosen={search['tab']}
          more={{
            value: 'transactions',
            label: t('explorer.userTxs'),
            content: <UserTxs user={user} />,
          }}
          onChoose={(tab) => {
            const to = `/explorer/address/${user}`;
            void navigate({ to, search: { tab }, replace: true });
          }}
        />
      </div>
    </>
  );
}

function Who({ user }: { readonly user: string }) {
  const t = useWords();
  const navigate = useNavigate();
  const session = useSession();
  const { data: agent } = useQuery({
    queryKey: ['agentOwner', user],
    queryFn: ({ signal }) => reader.info.agentOwner({ agent: user }, { signal }),
  });
  const owner = agent?.owner ?? null;
  const { data: settings } = useSettings();
  const look = (): void => {
    spectate(user);
    void navigate({ to: '/portfolio' });
  };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2">
      <Code>{user}</Code>
      <CopyButton text={user} />
      {settings?.simulated_accounts.includes(user) === true && <SimulatedBadge />}
      {owner !== null && (
        <span className="flex items-center gap-2 text-12 text-muted">
          <Badge>{t('explorer.agent')}</Badge>
          {t('explorer.agentOf')} <AddressLink address={owner} />
        </span>
      )}
      {session?.address === user ? (
        <Badge tone="accent">{t('explorer.yours')}</Badge>
      ) : (
        (session === undefined || session.kind === 'spectator') && (
          <Button size="small" onClick={look}>
            {t('explorer.spectate')}
          </Button>
        )
      )}
    </div>
  );
}

function Worth({ user }: { readonly user: string }) {
  const t = useWords();
  const perp = accountStates.use({ user, accountType: 'perp' }, ({ state }) => state);
  const outcome = accountStates.use({ user, accountType: 'outcome' }, ({ state }) => state);
  const [perpValue, outcomeValue] = [
    perp?.marginSummary.accountValue,
    outcome?.marginSummary.accountValue,
  ];
  const isKnown = perpValue !== undefined && outcomeValue !== undefined;
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-3 border-b border-line px-4 py-3 tablet:flex tablet:flex-wrap tablet:gap-x-10">
      <Stat unit="USDC" label={t('explorer.equity')} isLarge>
        <Money value={isKnown ? add(perpValue, outcomeValue) : undefined} />
      </Stat>
      <Stat unit="USDC" label={t('explorer.perpValue')}>
        <Money value={perpValue} />
      </Stat>
      <Stat unit="USDC" label={t('explorer.outcomeValue')}>
        <Money value={outcomeValue} />
      </Stat>
      <Stat unit="USDC" label={t('explorer.notional')}>
        <Money value={perp?.marginSummary.totalNtlPos} />
      </Stat>
      <Stat unit="USDC" label={t('explorer.withdrawable')}>
        <Money value={perp?.withdrawable} />
      </Stat>
    </dl>
  );
}

const PAGE_ROWS = 100;
const EVERY_MS = 5_000;
const NONE: readonly TxBrief[] = [];
const hashOf = ({ hash }: TxBrief): string => hash;
const timeOf = ({ time }: TxBrief): number => time;

export function UserTxs({ user }: { readonly user: string }) {
  const t = useWords();
  const { data } = useQuery({
    queryKey: ['txs', user],
    queryFn: ({ signal }) => reader.info.txs({ user, limit: PAGE_ROWS }, { signal }),
    refetchInterval: EVERY_MS,
  });
  const { older, rows } = useOlder<TxBrief>({
    key: user,
    head: data ?? NONE,
    fullAt: PAGE_ROWS,
    timeOf,
    idOf: hashOf,
    ask: (start, options) =>
      reader.info.historyPage({ type: 'txs', user, limit: PAGE_ROWS, ...start }, options),
  });
  return (
    <TxsTable
      label={t('explorer.userTxs')}
      txs={rows}
      isOfOneAccount
      older={older}
      empty={
        data !== undefined && (
          <EmptyState title={t('explorer.noUserTxs')} text={t('explorer.noUserTxsText')} />
        )
      }
    />
  );
}
