import type { PerpMeta } from '@oddlot/sdk';
import { useState } from 'react';
import { compare, isDecimal, sign } from '../../lib/decimal.ts';
import { clockTime, number, percent } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import {
  askForNotices,
  changeAlerts,
  hideAlerts,
  useAlerts,
  useShownAlerts,
  withoutRow,
  withRow,
  type Alert,
} from '../../market/alerts/alerts.ts';
import { usePerps } from '../../market/queries.ts';
import { contexts } from '../../market/streams.ts';
import { useSession } from '../../session/session.ts';
import { Button, Checkbox, NumberField, Segmented } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/overlays.tsx';

export function AlertsDialog() {
  const t = useWords();
  const { coin, isOpen } = useShownAlerts();
  const hasAccount = useSession() !== undefined;
  return (
    <Dialog
      title={t('alerts.title')}
      description={t(hasAccount ? 'alerts.text' : 'alerts.textNobody')}
      isOpen={isOpen}
      onClose={hideAlerts}
    >
      <div className="flex flex-col gap-4">
        <NewAlert key={coin} wanted={coin} />
        <Rows />
        {hasAccount && <OfAccount />}
        <Ways />
      </div>
    </Dialog>
  );
}

type Kind = 'price' | 'funding';

function NewAlert({ wanted }: { readonly wanted: string | undefined }) {
  const t = useWords();
  const perps = usePerps().data?.universe ?? [];
  const [chosen, setChosen] = useState(wanted);
  const coin = chosen ?? String(perps[0]?.index ?? '');
  const perp = perps.find(({ index }) => String(index) === coin);
  const [kind, setKind] = useState<Kind>('price');
  const [bound, setBound] = useState('');
  const mark = contexts.use(coin === '' ? undefined : coin, ({ ctx }) => ctx?.markPx);
  const isReady = isDecimal(bound) && sign(bound) > 0 && perp !== undefined && isDecimal(mark);
  const add = (): void => {
    if (!isReady) return;
    const side = compare(bound, mark) > 0 ? 'above' : 'below';
    const row: Alert = {
      id: crypto.randomUUID(),
      kind: kind === 'price' ? side : 'funding',
      coin,
      market: perp.name,
      bound,
    };
    changeAlerts((alerts) => withRow(alerts, row));
    setBound('');
  };
  return (
    <form
      className="flex flex-col gap-2"
      aria-label={t('alerts.new')}
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <div className="flex gap-2">
        <MarketChoice perps={perps} coin={coin} onChange={setChosen} />
        <div className="w-44">
          <Segmented
            label={t('alerts.kind')}
            value={kind}
            onChange={setKind}
            segments={[
              { value: 'price', label: t('markets.price') },
              { value: 'funding', label: t('alerts.funding') },
            ]}
          />
        </div>
      </div>
      <NumberField
        label={t(kind === 'price' ? 'alerts.when' : 'alerts.rate')}
        value={bound}
        onChange={setBound}
        step={kind === 'price' ? perp?.priceTick : '0.001'}
        unit={kind === 'price' ? 'USDC' : '%'}
        placeholder={kind === 'price' ? number(mark) : '0.01'}
        onEnter={add}
      />
      <Button type="submit" kind="accent" isWide disabled={!isReady}>
        {t('alerts.add')}
      </Button>
    </form>
  );
}

type MarketChoiceProps = {
  readonly perps: readonly PerpMeta[];
  readonly coin: string;
  readonly onChange: (coin: string) => void;
};

function MarketChoice({ perps, coin, onChange }: MarketChoiceProps) {
  const t = useWords();
  return (
    <select
      aria-label={t('markets.market')}
      value={coin}
      onChange={({ target }) => onChange(target.value)}
      className="h-8 min-w-0 flex-1 rounded border border-line bg-raised px-2 text-13"
    >
      {perps.map(({ index, name }) => (
        <option key={index} value={String(index)}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Rows() {
  const t = useWords();
  const { rows } = useAlerts();
  if (rows.length === 0) return <p className="text-12 text-muted">{t('alerts.none')}</p>;
  return (
    <ul aria-label={t('alerts.title')} className="flex flex-col divide-y divide-line">
      {rows.map((row) => (
        <li key={row.id} className="flex min-h-8 items-center gap-3 text-13">
          <span className="min-w-0 flex-1">{titleOf(row)}</span>
          {row.toldMs !== undefined && (
            <span className="text-12 text-muted">
              {t('alerts.toldAt', { time: clockTime(row.toldMs) })}
            </span>
          )}
          <Button
            size="small"
            kind="quiet"
            aria-label={t('alerts.removeOf', { alert: titleOf(row) })}
            onClick={() => changeAlerts((alerts) => withoutRow(alerts, row.id))}
          >
            {t('alerts.remove')}
          </Button>
        </li>
      ))}
    </ul>
  );

  function titleOf({ bound, kind, market }: Alert): string {
    return t(`alerts.row.${kind}`, { market, bound: number(bound) });
  }
}

const MARGIN_SHARES = [50, 70, 80, 90] as const;
const END_MINUTES = [5, 15, 60] as const;
const OFF = 'off';

function OfAccount() {
  const t = useWords();
  const { endMinutes, hasFills, marginFrom } = useAlerts();
  return (
    <section className="flex flex-col gap-3 border-t border-line pt-4">
      <Checkbox
        label={t('alerts.fills')}
        isOn={hasFills}
        onChange={(isOn) => changeAlerts((alerts) => ({ ...alerts, hasFills: isOn }))}
      />
      <Bound
        label={t('alerts.margin')}
        of={MARGIN_SHARES}
        value={marginFrom}
        shown={(share) => percent(String(share / 100), { decimals: 0 })}
        onChange={(next) => changeAlerts((alerts) => ({ ...alerts, marginFrom: next }))}
      />
      <Bound
        label={t('alerts.end')}
        of={END_MINUTES}
        value={endMinutes}
        shown={(minutes) => t('alerts.minutes', { minutes })}
        onChange={(next) => changeAlerts((alerts) => ({ ...alerts, endMinutes: next }))}
      />
    </section>
  );
}

type BoundProps = {
  readonly label: string;
  readonly of: readonly number[];
  readonly value: number | undefined;
  readonly shown: (value: number) => string;
  readonly onChange: (value: number | undefined) => void;
};

function Bound({ label, of, value, shown, onChange }: BoundProps) {
  const t = useWords();
  return (
    <div className="flex flex-col gap-1">
      <span className="text-12 text-muted">{label}</span>
      <Segmented
        label={label}
        value={value === undefined ? OFF : String(value)}
        onChange={(next) => onChange(next === OFF ? undefined : Number(next))}
        segments={[
          { value: OFF, label: t('alerts.off') },
          ...of.map((each) => ({ value: String(each), label: shown(each) })),
        ]}
      />
    </div>
  );
}

function Ways() {
  const t = useWords();
  const { hasSound, isOutside } = useAlerts();
  const [isDenied, setIsDenied] = useState(false);
  const outside = async (isOn: boolean): Promise<void> => {
    const isAllowed = isOn && (await askForNotices());
    setIsDenied(isOn && !isAllowed);
    changeAlerts((alerts) => ({ ...alerts, isOutside: isAllowed }));
  };
  return (
    <section className="flex flex-col gap-3 border-t border-line pt-4">
      <Checkbox
        label={t('alerts.sound')}
        isOn={hasSound}
        onChange={(isOn) => changeAlerts((alerts) => ({ ...alerts, hasSound: isOn }))}
      />
      <Checkbox
        label={t('alerts.outside')}
        isOn={isOutside}
        onChange={(isOn) => void outside(isOn)}
      />
      {isDenied && (
        <p role="alert" className="text-12 text-warning">
          {t('alerts.denied')}
        </p>
      )}
    </section>
  );
}
