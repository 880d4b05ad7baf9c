import type { TxBrief } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, type ReactNode } from 'react';
import { clockTime, short } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { timeColumn } from '../../market/cells.tsx';
import { usePerps, useSettings } from '../../market/queries.ts';
import { reader } from '../../market/venue.ts';
import { AddressLink, BlockLink, SimulatedBadge, TxLink } from '../../ui/figures.tsx';
import { Table, type Column, type Older } from '../../ui/table.tsx';
import {
  actionName,
  marketIdsOf,
  OUTCOME_ID_MIN,
  sentencesOf,
  type NameOf,
  type Sentence,
} from './tx-words.ts';

export function TxsTable({
  label,
  txs,
  isOfOneBlock = false,
  isOfOneAccount = false,
  older,
  empty,
}: {
  readonly label: string;
  readonly txs: readonly ListedTx[];
  readonly isOfOneBlock?: boolean;
  readonly isOfOneAccount?: boolean;
  readonly older?: Older | undefined;
  readonly empty: ReactNode;
}) {
  const t = useWords();
  const nameOf = useNames(useMemo(() => marketIdsOf(txs.map(({ action }) => action)), [txs]));
  const { data: settings } = useSettings();
  const columns = useMemo(() => {
    const all = columnsOf(t, { nameOf, simulated: settings?.simulated_accounts ?? [] });
    const shared = [
      ...(isOfOneBlock ? ['block', 'time'] : []),
      ...(isOfOneAccount ? ['user'] : []),
    ];
    return all.filter(({ id }) => !shared.includes(id));
  }, [t, isOfOneAccount, isOfOneBlock, nameOf, settings]);
  return (
    <Table
      label={label}
      columns={columns}
      rows={txs}
      rowKey={({ hash }) => hash}
      older={older}
      empty={empty}
    />
  );
}

type ColumnNeeds = { readonly nameOf: NameOf; readonly simulated: readonly string[] };

function columnsOf(t: Words, { nameOf, simulated }: ColumnNeeds): readonly Column<ListedTx>[] {
  return [
    {
      id: 'hash',
      header: t('explorer.tx'),
      width: '128px',
      phoneWidth: '104px',
      cell: ({ hash }) => <TxLink hash={hash} />,
    },
    {
      id: 'action',
      header: t('explorer.what'),
      cell: (tx) => (
        <span title={tx.error ?? undefined}>
          <TxSentence tx={tx} nameOf={nameOf} />
          {tx.error !== null && (
            <span className="text-warning"> · {t(refusedWord(tx), { why: tx.error })}</span>
          )}
        </span>
      ),
    },
    {
      id: 'user',
      header: t('explorer.account'),
      width: '148px',
      from: 'tablet',
      cell: ({ user }) => (
        <span className="flex items-center gap-2">
          <AddressLink address={user} />
          {simulated.includes(user) && <SimulatedBadge />}
        </span>
      ),
    },
    {
      id: 'block',
      header: t('explorer.block'),
      align: 'right',
      width: '96px',
      from: 'tablet',
      cell: ({ block }) => <BlockLink height={block} />,
    },
    timeColumn(t('explorer.time'), ({ time }) => time, {
      align: 'right',
      width: '88px',
      from: 'tablet',
      short: 'never',
      write: clockTime,
      isSortable: false,
    }),
  ];
}

function refusedWord({ entries }: ListedTx): 'explorer.refused' | 'explorer.refusedPart' {
  return (entries ?? 1) > 1 ? 'explorer.refusedPart' : 'explorer.refused';
}

function TxSentence({ tx, nameOf }: { readonly tx: ListedTx; readonly nameOf: NameOf }) {
  const t = useWords();
  const { more, side, text } = briefOf(tx, nameOf, t);
  return (
    <>
      <span className={`normal-nums ${SIDES[side ?? 'none']}`}>{text}</span>
      {more > 0 && <span className="text-muted"> {t('explorer.says.more', { count: more })}</span>}
      {tx.entries === null && <span className="text-muted"> · {t('explorer.queued')}</span>}
    </>
  );
}

const SIDES = { buy: 'text-buy', sell: 'text-sell', none: '' } as const;

type ListedTx = Omit<TxBrief, 'entries'> & Partial<Pick<TxBrief, 'entries'>>;

const ADDRESS = /0x[\da-f]{40}/gi;

export function briefOf(
  tx: ListedTx,
  nameOf: NameOf,
  t: Words,
): Sentence & { readonly more: number } {
  const { action, entries } = tx;
  const count = entries ?? 1;
  if (count > 1 && /^cancel(?:ByCloid)?$/.test(action.type)) {
    return { text: t('explorer.says.cancelMany', { count }), more: 0 };
  }
  const [first, ...rest] = sentencesOf(action, (id) => inBrief(nameOf(id)), t);
  if (first === undefined) return { text: actionName(action.type, t), more: 0 };
  const sentence = action.type === 'multiSig' ? (rest[0] ?? first) : first;
  const text = sentence.text.replaceAll(ADDRESS, short);
  return { ...sentence, text, more: count - 1 };
}

const NAME_CHARS_MAX = 28;

function inBrief(name: string): string {
  if (name.length <= NAME_CHARS_MAX) return name;
  // The closing mark depends on the language.
  const end = /[”“]$/.test(name) ? `…${name.at(-1)}` : '…';
  return `${name.slice(0, NAME_CHARS_MAX).trimEnd()}${end}`;
}

export function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[112px_minmax(0,1fr)] items-baseline gap-x-4 px-4 py-2 tablet:grid-cols-[176px_minmax(0,1fr)]">
      {children}
    </dl>
  );
}

export function Fact({ label, children }: Readonly<{ label: string; children: ReactNode }>) {
  return (
    <>
      <dt className="py-1 text-12 text-muted">{label}</dt>
      <dd className="min-w-0 py-1 text-13 break-words">{children}</dd>
    </>
  );
}

const ASKED_MAX = 50;

export function useNames(ids: readonly number[]): NameOf {
  const t = useWords();
  const { data: perps } = usePerps();
  const wanted = [...new Set(ids)]
    .filter((id) => id >= OUTCOME_ID_MIN)
    .slice(0, ASKED_MAX)
    .toSorted((left, right) => left - right);
  const { data: events } = useQuery({
    queryKey: ['outcomeMeta', 'names', wanted],
    queryFn: ({ signal }) =>
      reader.info.outcomeMeta({ instrumentIds: wanted, limit: ASKED_MAX }, { signal }),
    enabled: wanted.length > 0,
    staleTime: Infinity,
    placeholderData: (before) => before,
  });
  return useCallback(
    (id) => {
      const perp = perps?.universe.find(({ index }) => index === id);
      if (perp !== undefined) return perp.name;
      const markets = events?.events.flatMap((event) => event.markets) ?? [];
      const market = markets.find(({ instrument_id: own }) => own === id);
      return market === undefined ? `#${id}` : t('explorer.named', { name: market.question });
    },
    [perps, events, t],
  );
}
