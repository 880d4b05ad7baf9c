import type { TxDetail } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { texts } from 'words:explorer';
import { usePageTitle } from '../../lib/browser.ts';
import { cents, number, short, wholeDate } from '../../lib/format.ts';
import { addWords, useWords, type Words } from '../../lib/words.ts';
import { reader } from '../../market/venue.ts';
import { AddressLink, Badge, Code, CopyButton, BlockLink } from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Head } from './head.tsx';
import { actionName, marketIdsOf, sentencesOf } from './tx-words.ts';
import { Fact, Facts, useNames } from './txs-table.tsx';

addWords(texts);

const TX_HASH = /^0x[\da-f]{64}$/i;
const EVERY_MS = 2_000;
const TRIES = 3;

export function Screen() {
  const t = useWords();
  const { hash = '' }: { readonly hash?: string } = useParams({ strict: false });
  const title = t('explorer.txTitle', { hash: short(hash) });
  usePageTitle(title);
  const isHash = TX_HASH.test(hash);
  const { data, error } = useQuery({
    queryKey: ['tx', hash],
    enabled: isHash,
    queryFn: ({ signal }) => reader.info.tx({ txHash: hash }, { signal }),
    retry: (count) => count < TRIES,
    retryDelay: 500,
    refetchInterval: ({ state }) => (isHidden(state.data) ? EVERY_MS : false),
  });
  return (
    <div className="flex min-h-full flex-col bg-panel">
      <Head title={title} />
      {(!isHash || error !== null) && data === undefined && (
        <Missing hash={isHash ? hash : undefined} />
      )}
      {data !== undefined && <Transaction tx={data} />}
    </div>
  );
}

function Missing({ hash }: { readonly hash: string | undefined }) {
  const t = useWords();
  const { data: block, isPending } = useQuery({
    queryKey: ['blockOf', hash],
    enabled: hash !== undefined,
    queryFn: ({ signal }) => reader.info.block({ hash: hash! }, { signal }),
    retry: false,
  });
  if (block !== undefined) return <Navigate to={`/explorer/block/${block.height}`} replace />;
  if (isPending && hash !== undefined) return null;
  return <EmptyState title={t('explorer.txMissing')} text={t('explorer.txMissingText')} />;
}

function isHidden(tx: TxDetail | undefined): boolean {
  return tx?.action.type === 'order' && tx.action['orders'] === undefined;
}

function Transaction({ tx }: { readonly tx: TxDetail }) {
  const t = useWords();
  const raw = JSON.stringify(tx.action, null, 2);
  return (
    <>
      <InWords tx={tx} />
      <Facts>
        <Fact label={t('explorer.hash')}>
          <Code>{tx.hash}</Code>
        </Fact>
        <Fact label={t('explorer.block')}>
          <span className="flex gap-2">
            <BlockLink height={tx.block} />
            <span className="text-muted">{t('explorer.place', { index: tx.index + 1 })}</span>
          </span>
        </Fact>
        <Fact label={t('explorer.time')}>{wholeDate(tx.time)}</Fact>
        <Fact label={t('explorer.account')}>
          <AddressLink address={tx.user} isWhole />
        </Fact>
        <Fact label={t('explorer.signer')}>
          {tx.signer === tx.user ? (
            t('explorer.itself')
          ) : (
            <AddressLink address={tx.signer} isWhole />
          )}
        </Fact>
        {tx.vaultAddress !== null && (
          <Fact label={t('explorer.vault')}>
            <AddressLink address={tx.vaultAddress} isWhole />
          </Fact>
        )}
        <Fact label={t('explorer.nonce')}>
          <span className="tabular-nums">{tx.nonce}</span>
        </Fact>
        {tx.expiresAfter !== null && (
          <Fact label={t('explorer.expires')}>{wholeDate(tx.expiresAfter)}</Fact>
        )}
      </Facts>
      <div className="flex items-center justify-between border-y border-line px-4 py-1.5">
        <h2 className="text-13 font-medium">{t('explorer.received')}</h2>
        <CopyButton text={raw} />
      </div>
      <pre
        tabIndex={0}
        role="region"
        aria-label={t('explorer.received')}
        className="overflow-x-auto px-4 py-3 font-mono text-12 text-muted"
      >
        {raw}
      </pre>
    </>
  );
}

function InWords({ tx }: { readonly tx: TxDetail }) {
  const t = useWords();
  const nameOf = useNames(marketIdsOf(tx.action));
  const sentences = sentencesOf(tx.action, nameOf, t);
  const entryResults = tx.result.orders ?? [];
  return (
    <div className="border-b border-line px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="text-15 font-semibold">{actionName(tx.action.type, t)}</h2>
        <Badge tone={tx.error === null ? 'accent' : 'warning'}>
          {t(
            tx.error === null
              ? isHidden(tx)
                ? 'explorer.queued'
                : 'explorer.done'
              : 'explorer.failed',
          )}
        </Badge>
      </div>
      {tx.error !== null && <p className="mt-1 text-13 break-words text-warning">{tx.error}</p>}
      {isHidden(tx) && <p className="mt-1 text-12 text-muted">{t('explorer.hidden')}</p>}
      <ul className="mt-1">
        {sentences.map(({ entry, isOutcome = false, side, text }, index) => {
          const entryResult = entryResults.find(({ i }) => i === entry);
          return (
            // The entries in a request never change order. oxlint-disable-next-line
            // react/no-array-index-key
            <li key={index} className="py-0.5 text-13 break-words">
              <span className={side === undefined ? '' : side === 'buy' ? 'text-buy' : 'text-sell'}>
                {text}
              </span>
              {entryResult !== undefined && (
                <span className="text-muted">
                  {' · '}
                  {resultText(entryResult, isOutcome, t)}
                  {entryResult.error !== null && ` · ${entryResult.error}`}
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

type EntryResult = NonNullable<TxDetail['result']['orders']>[number];

function resultText({ avgPx, filledSz, state }: EntryResult, isOutcome: boolean, t: Words): string {
  if (avgPx === null) return t(`explorer.state.${state}`);
  const given = { size: number(filledSz), price: isOutcome ? cents(avgPx) : number(avgPx) };
  if (state === 'filled') return t('explorer.filledAt', given);
  return `${t('explorer.partAt', given)} · ${t(`explorer.state.${state}`)}`;
}
