import type { AssetPosition, Fill } from '@oddlot/sdk';
import { useState, type ReactNode } from 'react';
import { compare, divide, isDecimal, magnitude, sign } from '../../lib/decimal.ts';
import { cents, dateTime, number, percent, short, usdc } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { onDemand } from '../../ui/states.tsx';

const ShareDialog = onDemand(async () => (await import('./share-dialog.tsx')).ShareDialog);

type ShareButtonProps = {
  readonly of: () => SharedResult;
  readonly children: ReactNode;
};

export function ShareButton({ of, children }: ShareButtonProps) {
  const t = useWords();
  const [shared, setShared] = useState<SharedResult>();
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        title={t('share.button')}
        onClick={() => setShared(of())}
        className="rounded underline decoration-faint decoration-dotted underline-offset-2 hover:decoration-solid"
      >
        {children}
      </button>
      {shared !== undefined && <ShareDialog shared={shared} onClose={() => setShared(undefined)} />}
    </>
  );
}

export type SharedResult = {
  readonly market: string;
  readonly side: 'long' | 'short' | undefined;
  readonly leverage: number | undefined;
  readonly pnl: string;
  /** The profit as a fraction of the margin. */
  readonly share: string | undefined;
  readonly size: string;
  /** The prices in chronological order. */
  readonly prices: readonly SharedPrice[];
};

type SharedPrice = {
  readonly kind: 'entry' | 'mark' | 'price';
  readonly px: string;
  readonly text: string;
};

export function sharedPosition({ position }: AssetPosition, decimals?: number): SharedResult {
  const { coin, entryPx, leverage, markPx, returnOnEquity, szi, unrealizedPnl } = position;
  return {
    market: coin,
    side: sign(szi) < 0 ? 'short' : 'long',
    leverage: leverage.value,
    pnl: unrealizedPnl,
    share: isDecimal(returnOnEquity) ? returnOnEquity : undefined,
    size: magnitude(szi),
    prices: [
      { kind: 'entry', px: entryPx, text: number(entryPx, { decimals }) },
      { kind: 'mark', px: markPx, text: number(markPx, { decimals }) },
    ],
  };
}

export function sharedFill(fill: Fill): SharedResult {
  const { closedPnl, entryPrice, outcome, px, roe, symbol, sz, title } = fill;
  const shown = (price: string): string => (outcome === undefined ? number(price) : cents(price));
  return {
    market: title ?? symbol,
    side: undefined,
    leverage: undefined,
    pnl: closedPnl,
    // The venue reports the return of a closing fill in percent.
    share: isDecimal(roe) ? divide(roe, '100', 6) : undefined,
    size: sz,
    prices: [
      ...(isDecimal(entryPrice)
        ? [{ kind: 'entry' as const, px: entryPrice, text: shown(entryPrice) }]
        : []),
      { kind: 'price', px, text: shown(px) },
    ],
  };
}

export type Card = {
  readonly market: string;
  readonly about: string;
  readonly tone: 'buy' | 'sell' | 'muted';
  readonly headline: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The move from the first price to the last, shown in the picture as an arrow. */
  readonly move: Move | undefined;
  readonly foot: string;
};

export type Move = Readonly<{ direction: number; from: string; to: string }>;

type CardChoice = {
  readonly hasAmounts: boolean;
  readonly address: string | undefined;
  readonly isTest: boolean;
  readonly nowMs: number;
  readonly host: string;
};

export function cardOf(
  { leverage, market, pnl, prices, share, side, size }: SharedResult,
  { address, hasAmounts, host, isTest, nowMs }: CardChoice,
  t: Words,
): Card {
  const direction = sign(pnl);
  const amount = usdc(pnl, { isSigned: true });
  const inPercent = share === undefined ? undefined : percent(share, { isSigned: true });
  const bare = t(direction < 0 ? 'share.loss' : 'share.gain');
  const facts = [
    ...(hasAmounts && inPercent !== undefined ? [[t('share.result'), amount] as const] : []),
    ...prices.map(({ kind, text }) => [t(`share.${kind}`), text] as const),
    ...(hasAmounts ? [[t('share.size'), number(size)] as const] : []),
  ];
  return {
    market,
    about: [
      ...(side === undefined ? [] : [t(`share.${side}`)]),
      ...(leverage === undefined ? [] : [`${leverage}×`]),
      ...(isTest ? [t('share.test')] : []),
    ].join(' · '),
    tone: direction > 0 ? 'buy' : direction < 0 ? 'sell' : 'muted',
    headline: inPercent ?? (hasAmounts ? amount : bare),
    facts,
    move: moveOf(prices),
    foot: [dateTime(nowMs), host, ...(address === undefined ? [] : [short(address)])].join(' · '),
  };
}

function moveOf(prices: SharedResult['prices']): Move | undefined {
  const [first, last] = [prices[0], prices.at(-1)];
  if (first === undefined || last === undefined || first === last) return undefined;
  if (!isDecimal(first.px) || !isDecimal(last.px)) return undefined;
  return { direction: compare(last.px, first.px), from: first.text, to: last.text };
}
