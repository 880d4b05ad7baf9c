import type { Client, PerpMeta, Ticker } from '@oddlot/sdk';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { compact, money, NOTHING, number } from '../../lib/format.ts';
import { hourMinute, wholeDate } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { priceDecimals, sizeDecimals } from '../../market/on-grid.tsx';
import { usePerps } from '../../market/queries.ts';
import { tickers } from '../../market/tickers.ts';
import { useVenueSecond } from '../../market/time-column.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button, ConfirmButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ListPerp } from './list-perp.tsx';
import { CONFIRMED, type Operation, useOperation } from './operation.ts';
import { OperatedList } from './refusal.tsx';
import { isDecimal, multiply, sign } from '../../lib/decimal.ts';
import { AskDialog, Facts, FormDialog } from './ask-dialog.tsx';
import { venueNow } from '../../market/venue.ts';
import { NumberField } from '../../ui/number-field.tsx';

const NONE: readonly PerpMeta[] = [];
const ALL = { accountType: 'perp' } as const;

/** All perps; an admin lists, halts and delists them. */
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
      phoneWidth: '104px',
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
      phoneWidth: '128px',
      cell: (perp) => <State perp={perp} />,
    },
  ];
  if (acts === undefined) return columns;
  return [
    ...columns,
    {
      id: 'acts',
      header: <span className="heard">{t('operate.acts')}</span>,
      align: 'right',
      width: '264px',
      phoneWidth: '136px',
      cell: (perp) => <PerpActs perp={perp} acts={acts} />,
    },
  ];
}

function figure(id: string, header: string, show: Show): Column<PerpMeta> {
  const cell = (perp: PerpMeta): ReactNode => <Live perp={perp} show={show} />;
  return { id, header, align: 'right', width: '120px', from: 'desktop', cell };
}

/** Those that a tablet has room for. */
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

/** What is used all the time stands first and alone; what stops trading, apart from it. */
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
          heard={{
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

/** A delisted perp is closing for an hour; without enough prices in it, it waits for another one. */
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

/** How long holders may still reduce. */
const CLOSING_MS = 3_600_000;

type DelistProps = {
  readonly admin: Client;
  readonly perp: PerpMeta;
  readonly onClose: () => void;
};

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

type PushPriceProps = {
  readonly admin: Client;
  readonly perp: PerpMeta;
  readonly onClose: () => void;
};

/** Gives a perp an oracle price by hand: its first one, or one while its feed is away. */
function PushPrice({ admin, perp: { index, name, priceTick }, onClose }: PushPriceProps) {
  const t = useWords();
  const [typed, setTyped] = useState('');
  // `100.` is a number that somebody may stop at.
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
