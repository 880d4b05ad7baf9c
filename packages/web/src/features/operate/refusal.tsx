import { useWords, type Words } from '../../lib/words.ts';
import { ErrorSentence } from '../../ui/empty-state.tsx';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';

export function Refusal({ error }: { readonly error: unknown }) {
  const t = useWords();
  return <ErrorSentence error={error} nameOf={(field) => nameOf(field, t)} />;
}

/** Fields of operators' actions that stand in a form, as the form calls them. */
const NAMES = {
  name: 'operate.perp.base',
  baseCurrency: 'operate.perp.base',
  szDecimals: 'operate.perp.szDecimals',
  priceTick: 'operate.perp.priceTick',
  maxLimitOrderSize: 'operate.perp.maxOrderSize',
  maxMarketOrderSize: 'operate.perp.maxOrderSize',
  makerFeeRate: 'operate.perp.makerFee',
  takerFeeRate: 'operate.perp.takerFee',
  impactNotional: 'operate.perp.impactNotional',
  maxSize: 'operate.perp.maxSize',
  maxLeverage: 'operate.perp.maxLeverage',
  mmr: 'operate.perp.mmr',
  oraclePx: 'operate.oraclePrice',
  tiers: 'operate.ladder',
  min14dTradingVolume: 'operate.tier.min14dTradingVolume',
  perpMakerFeeRate: 'operate.perp.makerFee',
  perpTakerFeeRate: 'operate.perp.takerFee',
  title: 'operate.event.title',
  question: 'operate.event.question',
  groupTitle: 'operate.event.name',
  category: 'operate.event.category',
  description: 'operate.event.description',
  resolutionSource: 'operate.event.source',
  endTime: 'operate.event.endsAt',
  orderDelayMs: 'operate.event.delayMs',
  settlementFraction: 'operate.result',
  evidence: 'operate.evidenceShort',
  code: 'operate.code',
  maxUses: 'operate.uses',
  user: 'operate.address',
} as const;

/** The name of `tiers[2].perpMakerFeeRate` is that of its last part. */
export function nameOf(field: string, t: Words): string | undefined {
  const last = field.split('.').at(-1) ?? '';
  return Object.hasOwn(NAMES, last) ? t(NAMES[last as keyof typeof NAMES]) : undefined;
}

/** What stands where an operator would have buttons: whose key it takes. */
export function NeedsRole({ who }: { readonly who: 'admin' | 'deployer' }) {
  const t = useWords();
  return (
    <p className="border-b border-line px-4 py-2 text-12 text-muted">
      {t(who === 'admin' ? 'operate.needsAdmin' : 'operate.needsDeployer')}
    </p>
  );
}

/** A list that an operator adds to: the button for it, or whose key it takes, and why something did not go. */
export function OperatedList({
  who,
  isOperator,
  add,
  help,
  error,
  onAdd,
  children,
}: {
  readonly who: 'admin' | 'deployer';
  readonly isOperator: boolean;
  readonly add: string;
  readonly help: string;
  readonly error: unknown;
  readonly onAdd: () => void;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex min-h-0 flex-col">
      {isOperator ? (
        <div className="flex items-center gap-4 border-b border-line px-4 py-2">
          <Button kind="accent" onClick={onAdd}>
            {add}
          </Button>
          <p className="text-12 text-muted">{help}</p>
        </div>
      ) : (
        <NeedsRole who={who} />
      )}
      {error !== undefined && (
        <div className="px-4 py-2">
          <Refusal error={error} />
        </div>
      )}
      {children}
    </div>
  );
}
