import type { Client, PerpMeta, RegisterPerpParameters, Ticker } from '@oddlot/sdk';
import { Link } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { isDecimal, multiply, sign } from '../../lib/decimal.ts';
import {
  compact,
  hourMinute,
  money,
  NOTHING,
  number,
  percent,
  wholeDate,
} from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { priceDecimals, sizeDecimals, useVenueSecond } from '../../market/cells.tsx';
import { usePerps } from '../../market/queries.ts';
import { tickers } from '../../market/streams.ts';
import { venueNow } from '../../market/venue.ts';
import { Button, Checkbox, ConfirmButton, NumberField, TextField } from '../../ui/controls.tsx';
import { Badge } from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import {
  AskDialog,
  CONFIRMED,
  Facts,
  FormDialog,
  OperatedList,
  useOperation,
  type Operation,
} from './operation.tsx';

const NONE: readonly PerpMeta[] = [];
const ALL = { accountType: 'perp' } as const;

export function Perps({ admin }: { readonly admin: Client | undefined }) {
  const t = useWords();
  const { data } = usePerps();
  const operation = useOperation();
  const [isListing, setIsListing] = useState(false);
  const [pricing, setPricing] = useState<PerpMeta>();
  const [delisting, setDelisting] = useState<PerpMeta>();
  const { isBusy, operate } = operation;
  const columns = useMemo(
    () =>
      columnsOf(
        t,
        admin && { admin, isBusy, operate, onPrice: setPricing, onDelist: setDelisting },
      ),
    [t, admin, isBusy, operate],
  );
  return (
    <OperatedList
      who="admin"
      isOperator={admin !== undefined}
      add={t('operate.listPerp')}
      help={t('operate.perpsHelp')}
      error={operation.error}
      onAdd={() => setIsListing(true)}
    >
      <Table
        label={t('operate.tab.perps')}
        columns={columns}
        rows={data?.universe ?? NONE}
        rowKey={({ index }) => index}
        rowHeight={36}
        empty={data === undefined ? null : <EmptyState title={t('operate.noPerps')} />}
      />
      {admin !== undefined && isListing && (
        <ListPerp admin={admin} onClose={() => setIsListing(false)} />
      )}
      {admin !== undefined && pricing !== undefined && (
        <PushPrice admin={admin} perp={pricing} onClose={() => setPricing(undefined)} />
      )}
      {admin !== undefined && delisting !== undefined && (
        <Delist admin={admin} perp={delisting} onClose={() => setDelisting(undefined)} />
      )}
    </OperatedList>
  );
}

type Acts = Pick<Operation, 'isBusy' | 'operate'> & {
  readonly admin: Client;
  readonly onPrice: (perp: PerpMeta) => void;
  readonly onDelist: (perp: PerpMeta) => void;
};

function columnsOf(t: Words, acts: Acts | undefined): readonly Column<PerpMeta>[] {
  const columns: Column<PerpMeta>[] = [
    {
      id: 'name',
      header: t('operate.market'),
      phoneWidth: '84px',
      cell: ({ name }) => (
        <Link to={`/trade/${name}`} title={name} className="hover:underline">
          {name}
        </Link>
      ),
    },
    {
      id: 'id',
      header: t('operate.id'),
      align: 'right',
      width: '72px',
      from: 'desktop',
      cell: ({ index }) => <span className="text-muted">{index}</span>,
    },
    { ...figure('mark', t('operate.mark'), ({ markPx }, perp) => onGrid(markPx, perp)), ...NARROW },
    figure('oracle', t('operate.oracle'), ({ oraclePx }, perp) => onGrid(oraclePx, perp)),
    figure('interest', t('operate.openInterest'), ({ openInterest }, perp) =>
      [number(openInterest, { decimals: sizeDecimals(perp) }), perp.baseCurrency].join(' '),
    ),
    {
      ...figure('volume', t('operate.dayVolume'), ({ dayNtlVlm }) => compact(dayNtlVlm)),
      ...NARROW,
    },
    {
      id: 'leverage',
      header: t('operate.leverage'),
      align: 'right',
      width: '80px',
      from: 'desktop',
      cell: ({ maxLeverage }) => `${maxLeverage}×`,
    },
    {
      id: 'tick',
      header: t('operate.tick'),
      align: 'right',
      width: '80px',
      from: 'desktop',
      cell: ({ priceTick }) => priceTick,
    },
    {
      id: 'state',
      header: t('operate.state'),
      width: '152px',
      phoneWidth: '92px',
      cell: (perp) => <State perp={perp} />,
    },
  ];
  if (acts === undefined) return columns;
  return [
    ...columns,
    {
      id: 'acts',
      header: <span className="visually-hidden">{t('operate.acts')}</span>,
      align: 'right',
      // This width fits the buttons with German labels.
      width: '296px',
      phoneWidth: '168px',
      cell: (perp) => <PerpActs perp={perp} acts={acts} />,
    },
  ];
}

function figure(id: string, header: string, show: Show): Column<PerpMeta> {
  const cell = (perp: PerpMeta): ReactNode => <Live perp={perp} show={show} />;
  return { id, header, align: 'right', width: '120px', from: 'desktop', cell };
}

const NARROW = { from: 'tablet', tabletWidth: '88px' } as const;

type Show = (ticker: Ticker, perp: PerpMeta) => string;

function Live({ perp, show }: { readonly perp: PerpMeta; readonly show: Show }) {
  const ticker = tickers.use(ALL, ({ byId }) => byId.get(perp.index));
  return <span>{ticker === undefined ? NOTHING : show(ticker, perp)}</span>;
}

function onGrid(price: string, perp: PerpMeta): string {
  return number(price, { decimals: priceDecimals(perp) });
}

type PerpActsProps = { readonly perp: PerpMeta; readonly acts: Acts };

function PerpActs({ perp, acts: { admin, isBusy, onDelist, onPrice, operate } }: PerpActsProps) {
  const t = useWords();
  const { delisted, haltTrading, index, name } = perp;
  const turn = (): void => {
    const { setPerp } = admin.exchange.venueAdmin;
    void operate(
      () => setPerp({ instrumentId: index, haltTrading: !haltTrading }, CONFIRMED),
      t(haltTrading ? 'operate.resumed' : 'operate.halted', { name }),
    );
  };
  return (
    <span className="flex justify-end gap-2">
      <span className="me-auto max-tablet:hidden">
        <Button
          size="small"
          aria-label={t('operate.pricePushOf', { name })}
          onClick={() => onPrice(perp)}
        >
          {t('operate.pricePush')}
        </Button>
      </span>
      {haltTrading ? (
        <Button
          size="small"
          disabled={isBusy}
          aria-label={t('operate.resumeOf', { name })}
          onClick={turn}
        >
          {t('operate.resume')}
        </Button>
      ) : (
        <ConfirmButton
          size="small"
          label={t('operate.halt')}
          sure={t('operate.haltSure')}
          spokenLabels={{
            label: t('operate.haltOf', { name }),
            sure: t('operate.haltSureOf', { name }),
          }}
          isDisabled={isBusy}
          onConfirm={turn}
        />
      )}
      {!delisted && (
        <Button
          size="small"
          aria-label={t('operate.delistOf', { name })}
          onClick={() => onDelist(perp)}
        >
          {t('operate.delist')}
        </Button>
      )}
    </span>
  );
}

function State({ perp }: { readonly perp: PerpMeta }) {
  const t = useWords();
  if (perp.delisted) return <Ending closingTime={perp.closingTime} />;
  if (perp.haltTrading) return <Badge tone="warning">{t('operate.isHalted')}</Badge>;
  return <span className="text-muted">{t('operate.isTrading')}</span>;
}

/**
 * Shows when a delisted perp closes: after an hour of price samples. If there are too few samples,
 * another hour follows.
 */
function Ending({ closingTime }: { readonly closingTime: number | null }) {
  const t = useWords();
  const nowMs = useVenueSecond();
  if (closingTime === null) return <Badge tone="warning">{t('operate.isWaiting')}</Badge>;
  if (closingTime <= nowMs) {
    return <Badge title={wholeDate(closingTime)}>{t('operate.isDelisted')}</Badge>;
  }
  return (
    <Badge tone="warning" title={wholeDate(closingTime)}>
      {t('operate.isClosing', { time: hourMinute(closingTime) })}
    </Badge>
  );
}

const CLOSING_MS = 3_600_000;

type DelistProps = Readonly<{ admin: Client; perp: PerpMeta; onClose: () => void }>;

function Delist({ admin, perp: { baseCurrency, index, name }, onClose }: DelistProps) {
  const t = useWords();
  const operation = useOperation();
  const nowMs = useVenueSecond();
  const ticker = tickers.use(ALL, ({ byId }) => byId.get(index));
  const delist = async (): Promise<void> => {
    const isDone = await operation.operate(
      () => admin.exchange.venueAdmin.setPerp({ instrumentId: index, delisted: true }, CONFIRMED),
      t('operate.delisted', { name }),
    );
    if (isDone) onClose();
  };
  const held =
    ticker === undefined
      ? t('operate.noneHeld')
      : t('operate.heldOf', {
          size: number(ticker.openInterest),
          base: baseCurrency,
          value: money(multiply(ticker.openInterest, ticker.markPx)),
        });
  return (
    <AskDialog
      title={t('operate.delistOf', { name })}
      description={t('operate.delistHelp')}
      label={t('operate.delistSure', { name })}
      typed={name}
      operation={operation}
      onSend={() => void delist()}
      onClose={onClose}
    >
      <Facts
        facts={[
          { label: t('operate.openInterest'), value: held },
          { label: t('operate.closesAt'), value: hourMinute(nowMs + CLOSING_MS) },
        ]}
      />
    </AskDialog>
  );
}

type PushPriceProps = Readonly<{ admin: Client; perp: PerpMeta; onClose: () => void }>;

function PushPrice({ admin, perp: { index, name, priceTick }, onClose }: PushPriceProps) {
  const t = useWords();
  const [typed, setTyped] = useState('');
  const price = typed.replace(/\.$/, '');
  const operation = useOperation();
  const isFit = isDecimal(price) && sign(price) > 0;
  const push = async (): Promise<void> => {
    const prices = [{ instrumentId: index, oraclePx: price, externalPerpPx: null }];
    const isDone = await operation.operate(
      () =>
        admin.exchange.venueAdmin.pushOracle({ prices, time: Math.floor(venueNow()) }, CONFIRMED),
      t('operate.pricePushed', { name, price: number(price) }),
    );
    if (isDone) onClose();
  };
  return (
    <FormDialog
      title={t('operate.pushPriceOf', { name })}
      description={t('operate.pushPriceHelp')}

      label={isFit ? t('operate.pushPriceAt', { price: number(price) }) : t('operate.pushPrice')}
      isReady={isFit}
      operation={operation}
      onSend={() => void push()}
      onClose={onClose}
    >
      <NumberField
        label={t('operate.oraclePrice')}
        value={typed}
        step={priceTick}
        unit="USDC"
        fault={price === '' || isFit ? undefined : t('operate.priceFault')}
        onChange={setTyped}
        onEnter={() => isFit && void push()}
      />
    </FormDialog>
  );
}

const NUMBERS = [
  'priceTick',
  'maxOrderSize',
  'takerFee',
  'makerFee',
  'impactNotional',
] as const satisfies readonly (keyof PerpDraft)[];

function ListPerp({ admin, onClose }: { readonly admin: Client; readonly onClose: () => void }) {
  const t = useWords();
  const [draft, setDraft] = useState(NEW_PERP);
  const operation = useOperation();
  const change = (part: Partial<PerpDraft>): void => setDraft({ ...draft, ...part });
  const perp = perpOf(draft);
  const list = async (): Promise<void> => {
    if (perp === undefined) return;
    const isDone = await operation.operate(
      () => admin.exchange.venueAdmin.registerPerp(perp, CONFIRMED),
      t('operate.listed', { name: perp.name }),
    );
    if (isDone) onClose();
  };
  return (
    <FormDialog
      title={t('operate.listPerp')}
      description={t('operate.listPerpHelp')}
      isWide
      label={
        perp === undefined ? t('operate.listPerp') : t('operate.listNamed', { name: perp.name })
      }
      isReady={perp !== undefined}
      operation={operation}
      onSend={() => void list()}
      onClose={onClose}
    >
      <Fields draft={draft} onChange={change} />
    </FormDialog>
  );
}

type FieldsProps = Readonly<{ draft: PerpDraft; onChange: (part: Partial<PerpDraft>) => void }>;

function Fields({ draft, onChange }: FieldsProps) {
  const t = useWords();
  return (
    <>
      <div className="mb-3">
        <TextField
          label={t('operate.perp.base')}
          value={draft.base}
          placeholder="DOGE"
          maxLength={32}
          onChange={(base) => onChange({ base })}
        />
      </div>
      <div className="grid grid-cols-1 gap-3 tablet:grid-cols-2">
        <NumberField
          label={t('operate.perp.szDecimals')}
          value={draft.szDecimals}
          min="-4"
          step="1"
          onChange={(szDecimals) => onChange({ szDecimals })}
        />
        {NUMBERS.map((field) => (
          <NumberField
            key={field}
            label={t(`operate.perp.${field}`)}
            value={draft[field]}
            unit={unitOf(field, draft)}
            min={field === 'makerFee' ? '-1' : '0'}
            onChange={(value) => onChange({ ...draft, [field]: value })}
          />
        ))}
      </div>
      <h3 className="mt-4 mb-2 text-13 font-medium">{t('operate.perp.tiers')}</h3>
      <Tiers tiers={draft.tiers} onChange={(tiers) => onChange({ tiers })} />
      <div className="mt-3">
        <Checkbox
          label={t('operate.perp.onlyIsolated')}
          isOn={draft.onlyIsolated}
          onChange={(onlyIsolated) => onChange({ onlyIsolated })}
        />
      </div>
    </>
  );
}

function unitOf(field: (typeof NUMBERS)[number], draft: PerpDraft): string {
  if (field === 'takerFee' || field === 'makerFee') return inPercent(draft[field]) ?? '';
  if (field === 'maxOrderSize') return draft.base.trim().toUpperCase();
  return 'USDC';
}

const RATE_DECIMALS = 3;

function inPercent(fraction: string): string | undefined {
  return isDecimal(fraction) ? `= ${percent(fraction, { decimals: RATE_DECIMALS })}` : undefined;
}

type TiersProps = {
  readonly tiers: readonly TierDraft[];
  readonly onChange: (tiers: readonly TierDraft[]) => void;
};

function Tiers({ tiers, onChange }: TiersProps) {
  const t = useWords();
  const set = (index: number, part: Partial<TierDraft>): void =>
    onChange(tiers.map((tier, at) => (at === index ? { ...tier, ...part } : tier)));
  return (
    <div className="flex flex-col gap-2">
      {tiers.map((tier, index) => (
        // Tiers are identified by their position.
        // oxlint-disable-next-line react/no-array-index-key
        <div
          key={index}
          className="grid grid-cols-1 gap-3 tablet:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_minmax(0,1.6fr)]"
        >
          {(['maxSize', 'maxLeverage', 'mmr'] as const).map((field) => (
            <NumberField
              key={field}
              label={t(`operate.perp.${field}`)}
              value={tier[field]}
              unit={field === 'mmr' ? inPercent(tier.mmr) : undefined}
              onChange={(value) => set(index, { [field]: value })}
            />
          ))}
        </div>
      ))}
      <div className="flex gap-2">
        <Button size="small" onClick={() => onChange([...tiers, NEW_TIER])}>
          {t('operate.perp.addTier')}
        </Button>
        {tiers.length > 1 && (
          <Button size="small" onClick={() => onChange(tiers.slice(0, -1))}>
            {t('operate.perp.dropTier')}
          </Button>
        )}
      </div>
    </div>
  );
}

type PerpDraft = {
  readonly base: string;
  readonly szDecimals: string;
  readonly priceTick: string;
  readonly maxOrderSize: string;
  readonly takerFee: string;
  readonly makerFee: string;
  readonly impactNotional: string;
  readonly onlyIsolated: boolean;
  readonly tiers: readonly TierDraft[];
};

type TierDraft = { readonly maxSize: string; readonly maxLeverage: string; readonly mmr: string };

export const NEW_TIER: TierDraft = { maxSize: '', maxLeverage: '', mmr: '' };

export const NEW_PERP: PerpDraft = {
  base: '',
  szDecimals: '2',
  priceTick: '0.01',
  maxOrderSize: '10000',
  takerFee: '0.00045',
  makerFee: '0.00015',
  impactNotional: '6000',
  onlyIsolated: false,
  tiers: [{ maxSize: '100000', maxLeverage: '20', mmr: '0.025' }],
};

export function perpOf(draft: PerpDraft): RegisterPerpParameters | undefined {
  const base = draft.base.trim().toUpperCase();
  const { impactNotional, makerFee, maxOrderSize, priceTick, takerFee, tiers } = draft;
  const numbers = [
    impactNotional,
    makerFee,
    maxOrderSize,
    priceTick,
    takerFee,
    ...tiers.flatMap(({ maxLeverage, maxSize, mmr }) => [maxLeverage, maxSize, mmr]),
  ];
  const isWhole = /^-?\d$/.test(draft.szDecimals);
  if (base === '' || !isWhole || !numbers.every(isDecimal)) return undefined;
  return {
    name: `${base}-USDC`,
    baseCurrency: base,
    quoteCurrency: 'USDC',
    perpType: 'linear',
    szDecimals: Number(draft.szDecimals),
    priceTick,
    bookTicks: [priceTick, multiply(priceTick, '10'), multiply(priceTick, '100')],
    maxLimitOrderSize: maxOrderSize,
    maxMarketOrderSize: maxOrderSize,
    takerFeeRate: takerFee,
    makerFeeRate: makerFee,
    onlyIsolated: draft.onlyIsolated,
    impactNotional,
    marginTable: {
      tiers: tiers.map(({ maxLeverage, maxSize, mmr }, index) => ({
        tier: index + 1,
        minSize: tiers[index - 1]?.maxSize ?? '0',
        maxSize,
        maxLeverage: Number(maxLeverage),
        mmr,
      })),
    },
  };
}
